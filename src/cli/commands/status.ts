import type { Command } from 'commander';
import { listWorkspaces } from '../../models/workspaces.ts';
import { version } from '../../version.ts';
import { describeWorkspace } from '../describeWorkspace.ts';
import { formatInstant, print, printJson } from '../output.ts';
import { parseInstant } from '../parseArguments.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

type Options = { at?: Date; json?: boolean; workspace?: string };

/** `headway status`: whether it runs, what waits and why, what needs a person. */
export function addStatus(program: Command): void {
  program
    .command('status')
    .description('show whether ticks run, how much waits and why, and what needs a person')
    .option('--workspace <name>', 'only this workspace (default: all)')
    .option('--at <instant>', 'as of this instant, with a clock that stands still', parseInstant)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway status')
    .action(async (options: Options) => withApp(options, context => status(context, options)));
}

async function status(context: CommandContext, { workspace, json }: Options): Promise<void> {
  const { db } = context.app;
  const chosen =
    workspace === undefined ? await listWorkspaces(db) : [await chooseWorkspace(context.app, workspace)];
  const workspaces = [];
  for (const each of chosen) workspaces.push(await describeWorkspace(context, each));
  const versions = { headway: version, node: process.version, postgres: await serverVersion(context) };
  if (json) return printJson({ versions, workspaces });
  print(`Headway ${versions.headway}, Node ${versions.node}, PostgreSQL ${versions.postgres}`);
  if (workspaces.length === 0) print('There is no workspace yet: run "headway apply FILE".');
  for (const each of workspaces) printWorkspace(each);
}

async function serverVersion({ app }: CommandContext): Promise<string> {
  const { rows } = await app.db.raw('show server_version');
  return String(rows[0].server_version);
}

type Described = Awaited<ReturnType<typeof describeWorkspace>>;

function printWorkspace(each: Described): void {
  const never = each.lastTickAt ? 'NOT TICKING' : 'no tick yet';
  const ticking = each.isTicking ? 'ticking' : `${never}: is "headway start" running?`;
  print(`\n${each.name}: ${ticking}`);
  print(`  last tick ${formatInstant(each.lastTickAt)}, next slot ${formatInstant(each.nextSlotAt)}`);
  for (const { reason, until, detail } of each.stops) {
    print(`  stopped: ${reason} until ${formatInstant(until)}${detail ? ` (${detail})` : ''}`);
  }
  const waiting = Object.entries(each.waiting).map(([reason, count]) => `${count} ${reason}`);
  print(`  waiting: ${waiting.join(', ') || 'nothing'}`);
  print(`  published ${each.published}, skipped ${each.skipped}, dead ${each.dead}, unknown ${each.unknown}`);
  for (const { channel, reason, until, detail } of each.holds) {
    print(`  channel ${channel}: ${reason} until ${formatInstant(until)}${detail ? ` (${detail})` : ''}`);
  }
  for (const { message, createdAt } of each.alerts) print(`  alert ${formatInstant(createdAt)}: ${message}`);
}
