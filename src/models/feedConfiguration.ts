import { type Database, execute } from '../database/Database.ts';
import type { FeedValues } from './configurationValues.ts';
import { insertRow } from './insertRow.ts';

/** Adds a feed that is due at once. */
export async function insertFeed(db: Database, values: FeedValues, now: Date): Promise<number> {
  return insertRow(db, insertFeedRow, [...listFeedValues(values), now]);
}

const insertFeedRow = {
  name: 'insert-feed',
  text: `
    insert into feeds
      (workspace_id, name, url, every_ms, first_import, max_age_ms, enrich_within_ms, paused, next_fetch_at, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, false), $9, $9) returning id`,
};

/**
 * A new URL is read at once and whole (what was seen stays seen); a read of the old one that is still running
 * loses its claim. A feed out of the archive is read at once too, one with a new interval no later than that.
 */
export async function updateFeed(db: Database, id: number, values: FeedValues, now: Date): Promise<void> {
  const soonAt = new Date(now.getTime() + values.everyMs);
  await execute(db, updateFeedRow, [...listFeedValues(values), now, soonAt, id]);
}

const updateFeedRow = {
  name: 'update-feed',
  text: `
    with fresh as (
      select id, url <> $3 as "isMoved", url <> $3 or archived_at is not null as "isFresh" from feeds where id = $11
    )
    update feeds f
    set workspace_id = $1, name = $2, url = $3, every_ms = $4, first_import = $5, max_age_ms = $6,
        enrich_within_ms = $7, paused = coalesce($8, paused), archived_at = null,
        next_fetch_at = case when "isFresh" then $9
                             when every_ms <> $4 then least(next_fetch_at, $10) else next_fetch_at end,
        status = case when "isFresh" then 'active' else status end,
        failures = case when "isFresh" then 0 else failures end,
        last_error = case when "isFresh" then null else last_error end,
        etag = case when "isMoved" then null else etag end,
        last_modified = case when "isMoved" then null else last_modified end,
        moved_to = case when "isMoved" then null else moved_to end,
        moved_hits = case when "isMoved" then 0 else moved_hits end,
        ingest_status = case when "isMoved" then 'idle' else ingest_status end,
        claim_token = case when "isMoved" then null else claim_token end,
        claimed_at = case when "isMoved" then null else claimed_at end
    from fresh where f.id = fresh.id`,
};

function listFeedValues(values: FeedValues): unknown[] {
  const { workspaceId, name, url, everyMs, firstImport, maxAgeMs, enrichWithinMs, paused } = values;
  const first = JSON.stringify(firstImport);
  return [workspaceId, name, url, everyMs, first, maxAgeMs, enrichWithinMs, paused];
}
