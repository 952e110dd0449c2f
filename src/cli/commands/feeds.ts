import type { Command } from 'commander';
import { listFeeds, pauseFeed, resumeFeed } from '../../models/feedList.ts';
import { addSwitches } from '../addSwitches.ts';
import { describeFeed } from '../describeFeed.ts';
import { formatInstant, print, printJson, printTable, shorten } from '../output.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';
import { addFeedsTest } from './feedsTest.ts';

type Options = { json?: boolean; workspace?: string };

/** `headway feeds …`: the health of each feed, its switch, and a look at any URL. */
export function addFeeds(program: Command): void {
  const feeds = program.command('feeds').description('show feeds, try one, pause and resume them');
  feeds
    .command('list')
    .description('list feeds with their health, and what is wrong with them')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway feeds list')
    .action(async (options: Options) => withApp({}, context => list(context, options)));
  addFeedsTest(feeds);
  addSwitches(feeds, {
    kind: 'feed',
    example: 'blog',
    list: (app, workspaceId) => listFeeds(app.db, workspaceId),
    pause: { description: 'stop reading a feed; what it has brought stays', turn: pauseFeed },
    resume: { description: 'read a feed again, also one that was gone', turn: resumeFeed },
  });
}

async function list({ app, clock }: CommandContext, { workspace, json }: Options): Promise<void> {
  const { id } = await chooseWorkspace(app, workspace);
  const feeds = await listFeeds(app.db, id);
  const described = feeds.map(feed => ({ ...feed, notes: describeFeed(feed, clock.now()) }));
  if (json) return printJson(described.map(({ id: _id, everyMs: _everyMs, ...feed }) => feed));
  printTable(
    ['FEED', 'STATE', 'ARTICLES', 'LAST READ', 'NEXT', 'WAITING', 'HELD', 'URL', 'LAST ERROR'],
    feeds.map(feed => [
      feed.name,
      feed.paused ? 'paused' : feed.status,
      String(feed.articles),
      formatInstant(feed.lastCompleteAt),
      formatInstant(feed.paused || feed.status === 'gone' ? null : feed.nextFetchAt),
      String(feed.waiting),
      String(feed.held),
      shorten(feed.url, 50),
      shorten(feed.lastError ?? '', 60),
    ]),
    'There are no feeds yet: describe them in a file and run "headway apply FILE".',
  );
  for (const { name, notes } of described) for (const note of notes) print(`! ${name}: ${note}`);
}
