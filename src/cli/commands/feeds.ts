import type { Command } from 'commander';
import type { Database } from '../../database/Database.ts';
import { listFeeds, pauseFeed, resumeFeed } from '../../models/feedList.ts';
import { findNamed } from '../findNamed.ts';
import { formatInstant, printJson, printTable, shorten } from '../output.ts';
import { turnSwitch } from '../turnSwitch.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

type Options = { json?: boolean; workspace?: string };

/** `headway feeds …`: the health of each feed, and its switch. */
export function addFeeds(program: Command): void {
  const feeds = program.command('feeds').description('show feeds, pause and resume them');
  feeds
    .command('list')
    .description('list feeds with their health')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway feeds list')
    .action(async (options: Options) => withApp({}, context => list(context, options)));
  addSwitch(feeds, 'pause', 'stop reading a feed; what it has brought stays');
  addSwitch(feeds, 'resume', 'read a feed again, also one that was gone');
}

async function list({ app }: CommandContext, { workspace, json }: Options): Promise<void> {
  const { id } = await chooseWorkspace(app, workspace);
  const feeds = await listFeeds(app.db, id);
  if (json) return printJson(feeds.map(({ id: _id, ...feed }) => feed));
  printTable(
    ['FEED', 'STATE', 'ARTICLES', 'LAST READ', 'NEXT', 'URL', 'LAST ERROR'],
    feeds.map(feed => [
      feed.name,
      feed.paused ? 'paused' : feed.status,
      String(feed.articles),
      formatInstant(feed.lastCompleteAt),
      formatInstant(feed.paused ? null : feed.nextFetchAt),
      shorten(feed.url, 50),
      shorten(feed.lastError ?? '', 60),
    ]),
    'There are no feeds yet: describe them in a file and run "headway apply FILE".',
  );
}

function addSwitch(feeds: Command, action: 'pause' | 'resume', description: string): void {
  feeds
    .command(action)
    .argument('<name>', 'the feed')
    .description(description)
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  $ headway feeds ${action} blog`)
    .action(async (name: string, options: Options) =>
      withApp({}, context => turn(context, { action, name, ...options })),
    );
}

async function turn(
  context: CommandContext,
  { action, name, ...options }: Options & { action: 'pause' | 'resume'; name: string },
): Promise<void> {
  const { app, clock } = context;
  const { id: workspaceId } = await chooseWorkspace(app, options.workspace);
  const feed = findNamed('feed', name, await listFeeds(app.db, workspaceId));
  const turn = (db: Database) =>
    action === 'pause' ? pauseFeed(db, feed.id) : resumeFeed(db, feed.id, clock.now());
  const subject = { type: 'feed', id: feed.id, name } as const;
  await turnSwitch(context, { action, subject, workspaceId, turn }, options);
}
