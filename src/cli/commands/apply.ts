import type { Command } from 'commander';
import { channelRegistry } from '../../channels/registry.ts';
import { processEnvironment } from '../../config.ts';
import { checkTemplate } from '../../routing/checkTemplate.ts';
import { applyPlan, previewPlan } from '../../setup/applyPlan.ts';
import { exportConfig } from '../../setup/exportConfig.ts';
import type { PlannedChange } from '../../setup/PlannedChange.ts';
import { readConfigFile } from '../../setup/readConfigFile.ts';
import { print, printJson } from '../output.ts';
import { chooseWorkspace, withApp } from '../withApp.ts';

type ApplyOptions = { dryRun?: boolean; json?: boolean };
type ExportOptions = { workspace?: string };

/** `headway apply` and `headway export`: the domain objects as a file. */
export function addApply(program: Command): void {
  program
    .command('apply')
    .argument('<file>', 'a config.yaml')
    .description('make workspaces, accounts, channels, feeds and routes what a file says')
    .option('--dry-run', 'show the plan and change nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway apply config.yaml --dry-run')
    .action(apply);
  program
    .command('export')
    .description('print the current state as a config.yaml, secrets as placeholders')
    .option('--workspace <name>', 'only this workspace (default: all)')
    .addHelpText('after', '\nExample:\n  $ headway export > config.yaml')
    .action(async ({ workspace }: ExportOptions) =>
      withApp({}, async ({ app }) => {
        if (workspace !== undefined) await chooseWorkspace(app, workspace);
        const text = await exportConfig(app.db, { box: app.secretBox, workspace: workspace ?? null });
        print(text.trimEnd());
      }),
    );
}

async function apply(file: string, { dryRun, json }: ApplyOptions): Promise<void> {
  // Read before anything is opened: a file that is wrong needs no database.
  const setup = await readConfigFile(file, {
    env: processEnvironment,
    channels: channelRegistry,
    checkTemplate,
  });
  await withApp({}, async ({ app, clock }) => {
    const { db, secretBox: box } = app;
    const plan = dryRun
      ? await previewPlan(db, setup, box)
      : await applyPlan(db, setup, { box, now: clock.now(), actor: 'cli' });
    if (json) printJson({ applied: !dryRun, changes: plan });
    else printPlan(plan, { isDryRun: dryRun ?? false });
  });
}

const signs: Readonly<Record<PlannedChange['action'], string>> = {
  create: '+',
  update: '~',
  archive: '-',
  restore: '+',
  unchanged: ' ',
};

function printPlan(plan: readonly PlannedChange[], { isDryRun }: { isDryRun: boolean }): void {
  const changes = plan.filter(({ action }) => action !== 'unchanged');
  for (const { action, kind, workspace, name, changes: fields } of changes) {
    print(`${signs[action]} ${action} ${kind} ${name}${kind === 'workspace' ? '' : ` (${workspace})`}`);
    for (const { field, from, to } of fields) {
      const value = from === null ? show(to) : `${show(from)} → ${show(to)}`;
      print(`    ${field}: ${value}`);
    }
  }
  const unchanged = plan.length - changes.length;
  const counts = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}, ${unchanged} unchanged`;
  print(isDryRun ? `Plan: ${counts}. Nothing was changed.` : `Applied: ${counts}.`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
