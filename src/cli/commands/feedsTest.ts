import type { Command } from 'commander';
import { type FeedTest, type TestedItem, testFeed } from '../../ingestion/testFeed.ts';
import { type ListedFeed, listFeeds } from '../../models/feedList.ts';
import { listWorkspaces, type Workspace } from '../../models/workspaces.ts';
import { failed } from '../CliError.ts';
import { formatInstant, print, printJson, printTable, shorten } from '../output.ts';
import { startProgress } from '../progress.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

type Options = { json?: boolean; workspace?: string };
type TestedFeed = Extract<FeedTest, { kind: 'feed' }>;

/** `headway feeds test`: what would come of a URL as a feed, without making it one. */
export function addFeedsTest(feeds: Command): void {
  feeds
    .command('test')
    .argument('<url>', 'of a feed, one of yours or any other')
    .description('read a URL as a feed, and show what came of it; nothing is stored')
    .option('--workspace <name>', 'in whose zone and by whose feeds (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway feeds test https://blog.example/feed.xml')
    .action(async (url: string, options: Options) => withApp({}, context => test(context, url, options)));
}

async function test(context: CommandContext, url: string, options: Options): Promise<void> {
  const { app, clock, signal } = context;
  const workspace = await findWorkspace(context, options.workspace);
  const feeds = workspace === null ? [] : await listFeeds(app.db, workspace.id);
  const feed = feeds.find(candidate => candidate.url === url) ?? null;
  const request = { url, feedId: feed?.id ?? null, zone: workspace?.timezone ?? 'UTC' };
  const progress = startProgress(`reading ${url}`);
  const tools = { db: app.db, ...app.feedReading, now: clock.now(), signal };
  const result = await testFeed(request, tools).finally(progress.end);
  signal.throwIfAborted();
  if (result.kind === 'no_feed') {
    if (options.json) printJson({ error: result.detail });
    throw failed(`No feed could be read from ${url}: ${result.detail}`);
  }
  if (options.json) return printJson(toJson(result, feed));
  describe(result, { asked: url, feed });
}

/** Null: there is none yet, and a URL can be tried all the same. */
async function findWorkspace({ app }: CommandContext, name: string | undefined): Promise<Workspace | null> {
  if (name === undefined && (await listWorkspaces(app.db)).length === 0) return null;
  return chooseWorkspace(app, name);
}

function toJson({ answer, format, encoding, title, items, warnings }: TestedFeed, feed: ListedFeed | null) {
  const { url, status, movedTo, headers, body } = answer;
  return {
    format,
    encoding,
    title,
    items: items.map(itemJson),
    warnings,
    fetched: { url, status, movedTo, bytes: body.length, contentType: headers['content-type'] ?? null },
    feed: feed?.name ?? null,
  };
}

/** One that has nothing to say has neither title nor URL. */
function itemJson(item: TestedItem) {
  const { guid, publishedAt } = item;
  if ('place' in item) return { title: null, url: null, guid, publishedAt, isNew: false };
  const { title, url, isNew } = item;
  return { title, url, guid, publishedAt, isNew };
}

function describe(result: TestedFeed, { asked, feed }: { asked: string; feed: ListedFeed | null }): void {
  const { answer, format, encoding, title, items, warnings } = result;
  const { url, status, headers, body } = answer;
  const newItems = items.map(itemJson).filter(({ isNew }) => isNew).length;
  const owner = feed === null ? 'as no feed of this workspace has this URL' : `for the feed ${feed.name}`;
  const from = url === asked ? '' : ` (asked for ${asked})`;
  const type = headers['content-type'] ?? 'no Content-Type';
  print(`Fetched ${url}${from}: ${status}, ${body.length} bytes, ${type}`);
  print(`Read as ${format}, ${encoding}: ${title ?? 'without a title'}`);
  print(`Items: ${items.length}, new: ${newItems}, ${owner}`);
  for (const warning of warnings) print(`! ${warning}`);
  const rows = items.map(item => [
    'place' in item ? 'left out' : item.isNew ? 'new' : 'known',
    formatInstant(item.publishedAt),
    shorten('place' in item ? '-' : item.title, 60),
    ('place' in item ? null : item.url) ?? item.guid ?? '-',
  ]);
  if (rows.length > 0) printTable(['', 'DATE', 'TITLE', 'URL'], rows, '');
}
