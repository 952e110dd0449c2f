import { type Database, execute, query } from '../database/Database.ts';

/** Pauses a channel. True when it was not paused. */
export async function pauseChannel(db: Database, id: number): Promise<boolean> {
  return (await execute(db, updatePaused, [id])) > 0;
}

const updatePaused = {
  name: 'pause-channel',
  text: 'update channels set paused = true where id = $1 and not paused',
};

/**
 * Resumes a channel: no pause, no hold. A tripped breaker stays so until something went out: the next
 * article is its probe. True when there was something to lift.
 */
export async function resumeChannel(db: Database, id: number): Promise<boolean> {
  return (await query(db, updateResumed, [id])).length > 0;
}

// What waits because a search failed is looked for again, too.
const updateResumed = {
  name: 'resume-channel',
  text: `
    with resumed as (
      update channels
      set paused = false, hold_reason = null, hold_detail = null, held_until = null, refusals = 0
      where id = $1 and (paused or hold_reason is not null)
      returning id),
    freed as (
      update route_articles set next_attempt_at = null
      where channel_id = (select id from resumed) and queue_state = 2 and publish_status = 'pending'
        and last_error_code = 'lookup_failed')
    select 1 from resumed`,
};

/** How many approved articles wait in each channel of a workspace, by channel id. */
export async function countWaiting(db: Database, workspaceId: number): Promise<ReadonlyMap<number, number>> {
  const rows = await query<{ id: number; waiting: number }>(db, selectWaiting, [workspaceId]);
  return new Map(rows.map(({ id, waiting }) => [id, waiting]));
}

const selectWaiting = {
  name: 'count-waiting-by-channel',
  text: `
    select c.id,
           (select count(*) from route_articles r where r.channel_id = c.id and r.queue_state = 1)
           + (select count(*) from route_articles r where r.channel_id = c.id and r.queue_state = 2) as waiting
    from channels c where c.workspace_id = $1 and c.archived_at is null`,
};
