import type { Database } from '../../../src/database/Database.ts';
import { listRouteArticles } from '../../../src/models/routeArticleList.ts';
import { loadSchedule } from '../../../src/models/schedule.ts';
import { type Explanation, explain } from '../../../src/publishing/explain.ts';
import type { AcceptedPost } from './publisherPath.ts';
import { readTransitions, type Transition } from './transitions.ts';

export type PublicationRow = {
  id: number;
  workspaceId: number;
  channelId: number;
  routeArticleId: number;
  postKey: string;
  state: 'sending' | 'published' | 'unknown';
  slotAt: Date | null;
  countedAt: Date;
};
export type AttemptRow = {
  id: number;
  routeArticleId: number;
  publicationId: number | null;
  attempt: number;
  outcome: string;
  code: string | null;
  attemptedAt: Date;
  xid: string;
};
export type AuditRow = { id: number; routeArticleId: number; action: string; xid: string };
export type AlertRow = { id: number; kind: string; routeArticleId: number | null };
export type RouteArticleRow = {
  id: number;
  workspaceId: number;
  channelId: number;
  title: string;
  publishStatus: string;
  attempts: number;
  generation: number;
};
export type WorkspaceRow = {
  id: number;
  timezone: string;
  dailyCap: number | null;
  tickIntervalMs: number;
  /** Whether a living consumer holds its lock. */
  isLocked: boolean;
};
export type ChannelRow = { id: number; dailyCap: number | null; path: string | null };

/** Everything that happened, as the database tells it in one snapshot, and the publisher. */
export type History = {
  workspaces: readonly WorkspaceRow[];
  channels: readonly ChannelRow[];
  routeArticles: readonly RouteArticleRow[];
  publications: readonly PublicationRow[];
  attempts: readonly AttemptRow[];
  audits: readonly AuditRow[];
  alerts: readonly AlertRow[];
  transitions: readonly Transition[];
  /** Why each approved article that waits does so, by the program's own rule. */
  explanations: ReadonlyMap<number, Explanation>;
  /** What the publisher had accepted before the snapshot: all of it has to be known to the database. */
  acceptedBefore: readonly AcceptedPost[];
  /** And after it: all that the database calls published has to be in it. */
  acceptedAfter: readonly AcceptedPost[];
  readAt: Date;
};

const mostWaiting = 100_000;

/** Reads the history; `at` is what explanations are asked for. */
export async function readHistory(
  db: Database,
  { posts, at }: { posts: readonly AcceptedPost[]; at: Date },
): Promise<History> {
  const acceptedBefore = [...posts];
  const read = await db.transaction(trx => readTables(trx, at), { isolationLevel: 'repeatable read' });
  return { ...read, acceptedBefore, acceptedAfter: [...posts], readAt: at };
}

async function readTables(db: Database, at: Date) {
  const workspaces: WorkspaceRow[] = await db('workspaces as w').select({
    ...{ id: 'w.id', timezone: 'w.timezone', dailyCap: 'w.daily_cap', tickIntervalMs: 'w.tick_interval_ms' },
    isLocked: db.raw(isUnitLocked),
  });
  return {
    workspaces,
    channels: await readChannels(db),
    routeArticles: await readRouteArticles(db),
    publications: await readPublications(db),
    attempts: await readAttempts(db),
    audits: await readAudits(db),
    alerts: await readAlerts(db),
    transitions: await readTransitions(db),
    explanations: await readExplanations(db, workspaces, at),
  };
}

// A lock with one key of 64 bits lies in two columns of 32.
const isUnitLocked = `exists (
  select 1 from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('publishing:' || w.id, 0))`;

function readChannels(db: Database): Promise<ChannelRow[]> {
  const path = db.raw("substring(settings ->> 'url' from '://[^/]+/([^/]+)')");
  return db('channels').select({ id: 'id', dailyCap: 'daily_cap', path });
}

function readRouteArticles(db: Database): Promise<RouteArticleRow[]> {
  return db('route_articles')
    .orderBy('id')
    .select({
      ...{ id: 'id', workspaceId: 'workspace_id', channelId: 'channel_id', title: 'title' },
      ...{ publishStatus: 'publish_status', attempts: 'publish_attempts', generation: 'generation' },
    });
}

function readPublications(db: Database): Promise<PublicationRow[]> {
  return db('publications')
    .orderBy('id')
    .select({
      ...{
        id: 'id',
        workspaceId: 'workspace_id',
        channelId: 'channel_id',
        routeArticleId: 'route_article_id',
      },
      ...{ state: 'state', slotAt: 'slot_at', countedAt: 'counted_at' },
      postKey: db.raw("post ->> 'postKey'"),
    });
}

function readAttempts(db: Database): Promise<AttemptRow[]> {
  return db('attempts')
    .orderBy('id')
    .select({
      ...{
        id: 'id',
        routeArticleId: 'route_article_id',
        publicationId: 'publication_id',
        attempt: 'attempt',
      },
      ...{ outcome: 'outcome', code: 'code', attemptedAt: 'attempted_at' },
      xid: db.raw('xmin::text'),
    });
}

function readAudits(db: Database): Promise<AuditRow[]> {
  return db('audit_log')
    .where({ subject_type: 'route_article' })
    .orderBy('id')
    .select({ id: 'id', routeArticleId: 'subject_id', action: 'action', xid: db.raw('xmin::text') });
}

function readAlerts(db: Database): Promise<AlertRow[]> {
  return db('alerts').orderBy('id').select({ id: 'id', kind: 'kind', routeArticleId: 'route_article_id' });
}

async function readExplanations(db: Database, workspaces: readonly WorkspaceRow[], at: Date) {
  const explanations = new Map<number, Explanation>();
  for (const { id: workspaceId } of workspaces) {
    const schedule = await loadSchedule(db, workspaceId);
    if (!schedule) continue;
    const waiting = await listRouteArticles(db, { workspaceId, state: 'waiting', limit: mostWaiting });
    for (const article of waiting) {
      explanations.set(article.id, explain(article, schedule, { at, assumeWorker: true }));
    }
  }
  return explanations;
}
