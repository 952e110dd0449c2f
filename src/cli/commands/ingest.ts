import type { Command } from 'commander';
import { listFeeds } from '../../models/feedList.ts';
import { failed } from '../CliError.ts';
import { findNamed } from '../findNamed.ts';
import { printJson, printTable, shorten } from '../output.ts';
import { parseInstant } from '../parseArguments.ts';
import { startProgress } from '../progress.ts';
import { type CommandContext, chooseWorkspace, refuseLateRehearsal, withApp } from '../withApp.ts';

type Options = {
  feed?: string;
  due?: boolean;
  at?: Date;
  force?: boolean;
  json?: boolean;
  workspace?: string;
};

/** `headway ingest`: reads feeds now. */
export function addIngest(program: Command): void {
  program
    .command('ingest')
    .description('read feeds now, and route what is new')
    .option('--feed <name>', 'only this feed')
    .option('--due', 'only feeds that are due')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--at <instant>', 'rehearse with a clock that stands still at this instant', parseInstant)
    .option('--force', 'rehearse even on a live database')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway ingest --feed blog')
    .action(async (options: Options) => withApp(options, context => ingest(context, options)));
}

async function ingest(context: CommandContext, options: Options): Promise<void> {
  await refuseLateRehearsal(context, options.force);
  const { app, clock, signal } = context;
  const { id: workspaceId } = await chooseWorkspace(app, options.workspace);
  const feedId = options.feed === undefined ? null : await findFeed(context, workspaceId, options.feed);
  const selection = { workspaceId, isForced: !options.due, ...(feedId !== null && { feedId }) };
  const progress = startProgress('reading feeds');
  const { feeds } = await app.ingestFeeds.handle(selection, { clock, signal }).finally(progress.end);
  if (options.json) printJson({ feeds });
  else {
    printTable(
      ['FEED', 'OUTCOME', 'NEW', 'ROUTED', 'DETAIL'],
      feeds.map(feed => [
        feed.name,
        feed.outcome,
        String(feed.newArticles),
        String(feed.routed),
        shorten(feed.detail ?? '', 100),
      ]),
      nothingRead(options),
    );
  }
  const unread = feeds.filter(({ outcome }) => outcome === 'failed' || outcome === 'gone');
  if (unread.length > 0) throw failed(`${unread.length} of ${feeds.length} feeds could not be read.`);
  if (signal.aborted) throw failed('Interrupted: what was not read stays due.');
}

function nothingRead({ feed, due }: Options): string {
  if (feed !== undefined) return due ? `Feed ${feed} is not due, or paused.` : `Feed ${feed} is paused.`;
  return due ? 'No feed is due.' : 'There is no feed to read.';
}

async function findFeed({ app }: CommandContext, workspaceId: number, name: string): Promise<number> {
  return findNamed('feed', name, await listFeeds(app.db, workspaceId)).id;
}
