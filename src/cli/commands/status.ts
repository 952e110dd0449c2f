import type { Command } from 'commander';
import { findOldSnapshot, type OldSnapshot } from '../../models/oldSnapshot.ts';
import { listWorkspaces } from '../../models/workspaces.ts';
import { version } from '../../version.ts';
import { describeConsumers } from '../describeConsumers.ts';
import { describeWorkspace } from '../describeWorkspace.ts';
import { formatInstant, print, printJson } from '../output.ts';
import { parseInstant } from '../parseArguments.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

/** From here on the dead entries that it keeps from being cleaned up make ticks slower. */
const snapshotIsOldMs = 60_000;

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
  const { db, config } = context.app;
  const chosen =
    workspace === undefined ? await listWorkspaces(db) : [await chooseWorkspace(context.app, workspace)];
  const workspaces = [];
  for (const each of chosen) workspaces.push(await describeWorkspace(context, each));
  const versions = { headway: version, node: process.version, postgres: await serverVersion(context) };
  const consumers = await describeConsumers(db, config.limits, context.clock.now());
  const snapshot = await findOldSnapshot(db, new Date(context.clock.now().getTime() - snapshotIsOldMs));
  if (json) return printJson({ versions, snapshot, consumers, workspaces });
  print(`Headway ${versions.headway}, Node ${versions.node}, PostgreSQL ${versions.postgres}`);
  if (workspaces.length === 0) {
    const place = config.databaseUrl ? 'this database' : config.dataDir;
    print(`There is no workspace yet in ${place}: run "headway apply FILE".`);
  }
  if (snapshot) printSnapshot(snapshot);
  for (const consumer of consumers) printConsumer(consumer);
  for (const each of workspaces) printWorkspace(each);
}

async function serverVersion({ app }: CommandContext): Promise<string> {
  const { rows } = await app.db.raw('show server_version');
  return String(rows[0].server_version);
}

function printSnapshot({ pid, application, state, since }: OldSnapshot): void {
  print(
    `  OLD SNAPSHOT: ${application} (PostgreSQL process ${pid}) has a transaction open since ` +
      `${formatInstant(since)}, ${state}: nothing that was changed since can be cleaned up. End it.`,
  );
}

function printConsumer(consumer: Awaited<ReturnType<typeof describeConsumers>>[number]): void {
  const { role, host, pid, version, queues, startedAt, seenAt, isAlive } = consumer;
  const life = isAlive
    ? `running since ${formatInstant(startedAt)}, last seen ${formatInstant(seenAt)}`
    : `GONE, last seen ${formatInstant(seenAt)}`;
  print(`  worker ${host} ${pid} (headway ${role} ${version}; ${queues.join(', ')}): ${life}`);
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
  for (const { id, source, status, rows, lastError } of each.imports) {
    const error = lastError === null ? '' : ` (${lastError})`;
    print(`  import ${id} ${source}: ${status}, ${rows.done} of ${rows.total} rows${error}`);
  }
  for (const { message, createdAt } of each.alerts) print(`  alert ${formatInstant(createdAt)}: ${message}`);
  if (each.olderAlerts > 0) print(`  and ${each.olderAlerts} older alerts`);
}
