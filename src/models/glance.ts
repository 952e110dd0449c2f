import { type Database, query } from '../database/Database.ts';
import { calendarColumns, type WorkspaceCalendar } from './workspaces.ts';

/** What a waking tick looks at first: one row, whatever the number of channels and articles. */
export type Glance = {
  workspace: WorkspaceCalendar;
  /** A row in flight: orphaned, unless somebody holds the workspace's lock. */
  hasInFlight: boolean;
  /** Some channel, open or not, has a row that is ready. */
  hasReady: boolean;
  /** When the first wait of any channel ends; null: nothing waits. */
  waitEndsAt: Date | null;
  /** When an unknown outcome can first be found out about; null: there is none, or all are left to a person. */
  lookUpAt: Date | null;
};

/**
 * Glances at a workspace; null when there is none. It decides nothing about eligibility: it only tells a
 * tick that it need not ask, which is what most ticks of most workspaces hear.
 */
export async function glanceAt(db: Database, workspaceId: number): Promise<Glance | null> {
  const [row] = await query<WorkspaceCalendar & Omit<Glance, 'workspace'>>(db, selectGlance, [workspaceId]);
  if (!row) return null;
  const { hasInFlight, hasReady, waitEndsAt, lookUpAt, ...workspace } = row;
  return { workspace, hasInFlight, hasReady, waitEndsAt, lookUpAt };
}

// All heads are asked for in the order of their index, so that no other index is tempting.
const selectGlance = {
  name: 'glance-at-workspace',
  text: `
    select ${calendarColumns},
      exists (select 1 from route_articles r where r.workspace_id = w.id and r.queue_state = 3) as "hasInFlight",
      queued."hasReady", queued."waitEndsAt",
      (select r.next_lookup_at from route_articles r
       where r.workspace_id = w.id and r.publish_status = 'unknown' and r.next_lookup_at is not null
       order by r.next_lookup_at limit 1) as "lookUpAt"
    from workspaces w
    cross join lateral (
      select coalesce(bool_or((
               select true from route_articles r where r.channel_id = c.id and r.queue_state = 1
               order by r.priority desc, r.created_at, r.id limit 1)), false) as "hasReady",
             min((select r.next_attempt_at from route_articles r
                  where r.channel_id = c.id and r.queue_state = 2
                  order by r.next_attempt_at limit 1)) as "waitEndsAt"
      from channels c where c.workspace_id = w.id) queued
    where w.id = $1 and w.archived_at is null`,
};
