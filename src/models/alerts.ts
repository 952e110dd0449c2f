import { type Database, execute, query } from '../database/Database.ts';

export type AlertKind =
  | 'article_dead'
  | 'channel_down'
  | 'channel_up'
  | 'account_down'
  | 'account_up'
  | 'feed_gone'
  | 'feed_failing'
  | 'feed_recovered'
  | 'outcome_unknown'
  | 'late_success'
  | 'articles_too_old'
  | 'articles_held'
  | 'import_failed'
  | 'clock_set_back';

export type NewAlert = {
  workspaceId: number;
  kind: AlertKind;
  message: string;
  channelId?: number;
  accountId?: number;
  feedId?: number;
  routeArticleId?: number;
  now: Date;
};

/** Writes what operators are to be told; sending it is another consumer's work. */
export async function raiseAlert(db: Database, alert: NewAlert): Promise<void> {
  await execute(db, insertAlert, [...subjects(alert), alert.now]);
}

/** As `raiseAlert`, unless the very same message of that kind was already raised in the workspace: false then. */
export async function raiseAlertOnce(db: Database, alert: NewAlert): Promise<boolean> {
  return (await execute(db, insertAlertOnce, [...subjects(alert), alert.now])) > 0;
}

export type ListedAlert = { kind: AlertKind; message: string; createdAt: Date };

/**
 * The newest alerts of a workspace, newest first, and how many older ones there are; not those about an article
 * that has got on since.
 */
export async function newestAlerts(
  db: Database,
  workspaceId: number,
  limit: number,
): Promise<{ alerts: ListedAlert[]; older: number }> {
  const rows = await query<ListedAlert & { total: number }>(db, selectNewest, [workspaceId, limit]);
  const alerts = rows.map(({ kind, message, createdAt }) => ({ kind, message, createdAt }));
  return { alerts, older: (rows[0]?.total ?? 0) - rows.length };
}

const selectNewest = {
  name: 'newest-alerts',
  text: `
    select kind, message, created_at as "createdAt", count(*) over () as total from alerts a
    where workspace_id = $1 and not exists (
      select 1 from route_articles r
      where r.id = a.route_article_id
        and (a.kind, r.publish_status) in (
          ('outcome_unknown', 'published'), ('outcome_unknown', 'pending'), ('outcome_unknown', 'failed'),
          ('article_dead', 'published'), ('article_dead', 'pending')))
    order by id desc limit $2`,
};

function subjects(alert: NewAlert) {
  const { workspaceId, kind, message, channelId, accountId, feedId, routeArticleId } = alert;
  return [
    workspaceId,
    kind,
    message,
    channelId ?? null,
    accountId ?? null,
    feedId ?? null,
    routeArticleId ?? null,
  ];
}

const columns = 'workspace_id, kind, message, channel_id, account_id, feed_id, route_article_id, created_at';

const insertAlert = {
  name: 'insert-alert',
  text: `insert into alerts (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

const insertAlertOnce = {
  name: 'insert-alert-once',
  text: `
    insert into alerts (${columns})
    select $1, $2, $3, $4, $5, $6, $7, $8
    where not exists (select 1 from alerts where workspace_id = $1 and kind = $2 and message = $3)`,
};
