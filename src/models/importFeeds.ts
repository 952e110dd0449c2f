import { type Database, query } from '../database/Database.ts';
import { feedColumns } from './feedClaims.ts';
import type { Feed } from './feeds.ts';

/**
 * The feed that an import's articles belong to, locked for the transaction: a read of the feed that ends
 * meanwhile waits, so that both never store the same article. Null: it is gone, or archived.
 */
export async function lockFeedOfImport(db: Database, feedId: number): Promise<Feed | null> {
  const [feed] = await query<Feed>(db, selectLocked, [feedId]);
  return feed ?? null;
}

const selectLocked = {
  name: 'lock-feed-of-import',
  text: `
    select ${feedColumns} from feeds f join workspaces w on w.id = f.workspace_id
    where f.id = $1 and f.archived_at is null for no key update of f`,
};

export type NamedFeed = { id: number; name: string; url: string; isArchived: boolean };

/** Every feed of a workspace by name, archived ones too: their names are taken, and their URLs known. */
export async function everyFeed(db: Database, workspaceId: number): Promise<NamedFeed[]> {
  return query<NamedFeed>(db, selectEvery, [workspaceId]);
}

const selectEvery = {
  name: 'every-feed',
  text: `
    select id, name, url, archived_at is not null as "isArchived" from feeds
    where workspace_id = $1 order by name, id`,
};
