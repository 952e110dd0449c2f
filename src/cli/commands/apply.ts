import type { Command } from 'commander';
import { channelRegistry } from '../../channels/registry.ts';
import { processEnvironment } from '../../config.ts';
import { checkTemplate } from '../../routing/checkTemplate.ts';
import { applyPlan, previewPlan } from '../../setup/applyPlan.ts';
import { exportConfig } from '../../setup/exportConfig.ts';
import { formatPlan } from '../../setup/formatPlan.ts';
import { parseYaml } from '../../setup/parseYaml.ts';
import { readConfigFile } from '../../setup/readConfigFile.ts';
import type { Setup } from '../../setup/Setup.ts';
import { print, printJson } from '../output.ts';
import { chooseWorkspace, withApp } from '../withApp.ts';

type ApplyOptions = { dryRun?: boolean; json?: boolean; reseal?: boolean };
type ExportOptions = { json?: boolean; workspace?: string };

/** `headway apply` and `headway export`: the domain objects as a file. */
export function addApply(program: Command): void {
  program
    .command('apply')
    .argument('<file>', 'a config.yaml')
    .description('make workspaces, accounts, channels, feeds and routes what a file says')
    .option('--dry-run', 'show the plan and change nothing')
    .option('--reseal', 'after a lost secret key: state all secrets anew, with the present one')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway apply config.yaml --dry-run')
    .action(apply);
  program
    .command('export')
    .description('print the current state as a config.yaml, secrets as placeholders')
    .option('--workspace <name>', 'only this workspace (default: all)')
    .option('--json', 'print JSON, which apply reads as well')
    .addHelpText('after', '\nExample:\n  $ headway export > config.yaml')
    .action(async ({ json, workspace }: ExportOptions) =>
      withApp({}, async ({ app }) => {
        if (workspace !== undefined) await chooseWorkspace(app, workspace);
        const text = await exportConfig(app.db, { box: app.secretBox, workspace: workspace ?? null });
        if (json) printJson(parseYaml(text, 'the export').value ?? {});
        else print(text.trimEnd());
      }),
    );
}

async function apply(file: string, { dryRun, json, reseal = false }: ApplyOptions): Promise<void> {
  // Read before anything is opened: a file that is wrong needs no database.
  const setup = await readConfigFile(file, {
    env: processEnvironment,
    channels: channelRegistry,
    checkTemplate,
  });
  await withApp({}, async ({ app, clock }) => {
    const { db, secretBox: box } = app;
    const plan = dryRun
      ? await previewPlan(db, setup, { box, reseal })
      : await applyPlan(db, setup, { box, reseal, now: clock.now(), actor: 'cli' });
    const warnings = withoutAccount(setup);
    if (json) return printJson({ applied: !dryRun, changes: plan, warnings });
    print(`${formatPlan(plan)}\n${dryRun ? 'This was a plan: nothing was changed.' : 'Applied.'}`);
    for (const warning of warnings) print(`! ${warning}`);
  });
}

// No error: the account may come later. Until then every article waits.
function withoutAccount({ channels }: Setup): string[] {
  return channels
    .filter(({ needsAccount, account }) => needsAccount && account === null)
    .map(
      ({ name, platform }) => `channel ${name} has no account: nothing goes out on ${platform} without one`,
    );
}
