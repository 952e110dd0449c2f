import type { Database } from '../database/Database.ts';
import { makeFeed } from '../imports/makeFeed.ts';
import { everyFeed } from '../models/importFeeds.ts';
import { activeRoutes } from '../models/routes.ts';
import { loadSchedule } from '../models/schedule.ts';
import { failed, wrongUse } from './CliError.ts';
import { findNamed } from './findNamed.ts';
import type { CommandContext } from './withApp.ts';

export type ImportTargetOptions = {
  feed: string;
  /** Channels for a feed that is made. */
  channel?: readonly string[];
  baseline?: boolean;
};

/** The feed that articles are imported into: one that is there, or how to make it along with the import. */
export type ImportTarget = { name: string; isNew: boolean; take: (trx: Database) => Promise<number> };

/**
 * Finds the feed for articles. One that is missing is made, if channels are named for it. Throws a `CliError`
 * where what is imported could never go anywhere: it would be known from then on, and never be routed.
 */
export async function chooseImportTarget(
  { app: { db }, clock }: CommandContext,
  workspaceId: number,
  { feed: name, channel: channelNames = [], baseline = false }: ImportTargetOptions,
): Promise<ImportTarget> {
  const feed = (await everyFeed(db, workspaceId)).find(each => each.name === name);
  if (feed?.isArchived)
    throw failed(`The feed "${name}" is archived: name it in config.yaml to bring it back.`);
  if (feed) {
    if (channelNames.length > 0) throw wrongUse(hasRoutesOfItsOwn(name));
    const routes = await activeRoutes(db, feed.id);
    if (routes.length === 0 && !baseline) throw failed(leadsNowhere(name));
    return { name, isNew: false, take: async () => feed.id };
  }
  if (channelNames.length === 0) throw failed(isMissing(name));
  if (name !== name.trim() || name.length > 200 || /\p{Cc}/u.test(name))
    throw wrongUse('--feed is no name: one line, no blanks around it.');
  const known = (await loadSchedule(db, workspaceId))?.channels ?? [];
  const channels = [...new Set(channelNames)].map(each => findNamed('channel', each, known));
  const take = (trx: Database) =>
    makeFeed(trx, { workspaceId, name, channels }, { actor: 'cli', now: clock.now() });
  return { name, isNew: true, take };
}

function isMissing(name: string): string {
  return (
    `There is no feed "${name}". Name one that there is ("headway feeds list"), or, for articles that come from no ` +
    'feed, where they go: --channel NAME makes the feed, with a route on which you approve.'
  );
}

function leadsNowhere(name: string): string {
  return (
    `No route leads from the feed "${name}" to a channel, so that nothing of this would ever go out: add one and ` +
    'apply it first, or import with --baseline what only has to be known.'
  );
}

function hasRoutesOfItsOwn(name: string): string {
  return `--channel is for a feed that is made: "${name}" is there, and its routes say where its articles go.`;
}
