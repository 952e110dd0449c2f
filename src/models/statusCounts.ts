import { type Database, query } from '../database/Database.ts';

export type Queued = {
  channels: readonly { channelId: number; ready: number; waiting: number }[];
  /** When the oldest row that is ready was routed; null: none is. */
  oldestReadyAt: Date | null;
};

/** How many approved rows of each channel are ready at `at`, and how many still wait: by the row's half of eligibility. */
export async function countQueued(db: Database, workspaceId: number, at: Date): Promise<Queued> {
  const rows = await query<{ channelId: number; ready: number; waiting: number; oldestReadyAt: Date | null }>(
    db,
    selectQueued,
    [workspaceId, at],
  );
  const oldest = rows.flatMap(row => row.oldestReadyAt?.getTime() ?? []);
  return {
    channels: rows.map(({ channelId, ready, waiting }) => ({ channelId, ready, waiting })),
    oldestReadyAt: oldest.length > 0 ? new Date(Math.min(...oldest)) : null,
  };
}

const selectQueued = {
  name: 'count-queued',
  text: `
    select c.id as "channelId",
           (select count(*) from route_articles r where r.channel_id = c.id and r.queue_state = 1)
           + (select count(*) from route_articles r
              where r.channel_id = c.id and r.queue_state = 2 and r.next_attempt_at <= $2) as ready,
           (select count(*) from route_articles r
            where r.channel_id = c.id and r.queue_state = 2 and r.next_attempt_at > $2) as waiting,
           (select min(r.created_at) from route_articles r
            where r.channel_id = c.id and r.queue_state = 1) as "oldestReadyAt"
    from channels c where c.workspace_id = $1`,
};
