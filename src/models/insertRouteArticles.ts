import { type Database, execute } from '../database/Database.ts';

/** Why a person is asked about one, beside its route's own rule. */
export type ApprovalReason = 'after_gap' | 'possible_duplicate' | 'edited';

/** A reason with what a person needs to decide. */
export type ApprovalHold = { reason: ApprovalReason; detail: string };

export type NewRouteArticle = {
  channelId: number;
  articleId: number;
  routeId: number;
  title: string;
  text: string;
  textHash: string;
  isApproved: boolean;
  /** Null: as its route says. Never with `isApproved`. */
  hold: ApprovalHold | null;
  /** Not due before, by the code of its wait; null: at once. */
  wait: { until: Date; code: 'enriching' } | null;
  /** Older than its feed allows: inserted all the same, but terminal, so that it can be seen. */
  isTooOld: boolean;
  priority: number;
  urlKey: string;
  postKey: string;
};

/**
 * Queues articles in the order given, in one statement: rows of one call share `now`, so that their ids
 * decide. An article that the channel has already is left as it is. Returns how many were inserted.
 */
export async function insertRouteArticles(
  db: Database,
  { workspaceId, now }: { workspaceId: number; now: Date },
  rows: readonly NewRouteArticle[],
): Promise<number> {
  if (rows.length === 0) return 0;
  return execute(db, insertMany, [
    workspaceId,
    now,
    rows.map(row => row.channelId),
    rows.map(row => row.articleId),
    rows.map(row => row.routeId),
    rows.map(row => row.title),
    rows.map(row => row.text),
    rows.map(row => row.textHash),
    rows.map(row => (row.isApproved ? 'approved' : 'pending')),
    rows.map(row => row.hold?.reason ?? null),
    rows.map(row => row.hold?.detail ?? null),
    rows.map(row => row.wait?.until ?? null),
    rows.map(row => row.wait?.code ?? null),
    rows.map(row => row.isTooOld),
    rows.map(row => row.priority),
    rows.map(row => row.urlKey),
    rows.map(row => row.postKey),
  ]);
}

// Skipped rows carry all four attempts: nothing picks them again.
const insertMany = {
  name: 'insert-route-articles',
  text: `
    insert into route_articles
      (workspace_id, channel_id, article_id, route_id, title, text, text_hash, approval_status,
       approval_reason, approval_detail, next_attempt_at, last_error_code, publish_status, publish_attempts, skip_reason, priority, url_key, post_key, post_created_at,
       created_at, updated_at)
    select $1, n.channel_id, n.article_id, n.route_id, n.title, n.text, n.text_hash, n.approval_status,
           n.approval_reason, n.approval_detail, n.next_attempt_at, n.last_error_code, case when n.is_too_old then 'skipped' else 'pending' end, case when n.is_too_old then 4 else 0 end,
           case when n.is_too_old then 'too_old' end, n.priority, n.url_key, n.post_key, $2, $2, $2
    from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::uuid[], $9::text[],
                $10::text[], $11::text[], $12::timestamptz[], $13::text[], $14::boolean[], $15::smallint[],
                $16::uuid[], $17::uuid[])
      with ordinality as n (channel_id, article_id, route_id, title, text, text_hash, approval_status,
                            approval_reason, approval_detail, next_attempt_at, last_error_code,
                            is_too_old, priority, url_key, post_key, place)
    order by n.place
    on conflict (channel_id, article_id) do nothing`,
};
