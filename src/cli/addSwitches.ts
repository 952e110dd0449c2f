import type { Command } from 'commander';
import type { App } from '../app.ts';
import type { Database } from '../database/Database.ts';
import { recordAudit } from '../models/auditLog.ts';
import { findNamed } from './findNamed.ts';
import { print, printJson } from './output.ts';
import { type CommandContext, chooseWorkspace, withApp } from './withApp.ts';

/** Something that can be paused and resumed. */
export type Switchable = {
  kind: 'channel' | 'feed';
  /** A name for the help texts. */
  example: string;
  list: (app: App, workspaceId: number) => Promise<readonly { id: number; name: string }[]>;
  /** Both make the change, and say whether there was one. */
  pause: Switch;
  resume: Switch;
};

type Switch = { description: string; turn: (db: Database, id: number, now: Date) => Promise<boolean> };
type Options = { json?: boolean; workspace?: string };

/** Adds `pause NAME` and `resume NAME` to a command. */
export function addSwitches(group: Command, switchable: Switchable): void {
  const { kind, example } = switchable;
  for (const action of ['pause', 'resume'] as const) {
    group
      .command(action)
      .argument('<name>', `the ${kind}`)
      .description(switchable[action].description)
      .option('--workspace <name>', 'which workspace (default: the only one)')
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  $ headway ${kind}s ${action} ${example}`)
      .action(async (name: string, options: Options) =>
        withApp({}, context => turn(context, switchable, action, { name, ...options })),
      );
  }
}

// The change with its audit row, in one transaction. Pressed twice equals once.
async function turn(
  { app, clock }: CommandContext,
  switchable: Switchable,
  action: 'pause' | 'resume',
  { name, workspace, json }: Options & { name: string },
): Promise<void> {
  const { kind, list } = switchable;
  const { id: workspaceId } = await chooseWorkspace(app, workspace);
  const { id } = findNamed(kind, name, await list(app, workspaceId));
  const now = clock.now();
  const changed = await app.db.transaction(async trx => {
    const isChanged = await switchable[action].turn(trx, id, now);
    const entry = { workspaceId, actor: 'cli', action, subjectType: kind, subjectId: id, now };
    if (isChanged) await recordAudit(trx, entry);
    return isChanged;
  });
  const state = `${action}d`;
  if (json) printJson({ [kind]: name, state, changed });
  else print(changed ? `The ${kind} ${name} was ${state}.` : `The ${kind} ${name} was so already.`);
}
