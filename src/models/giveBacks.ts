import { type Database, execute, query } from '../database/Database.ts';

// Giving a claim back is the identity after it: status, wait and count as before, and no word of it.

/**
 * Gives a claim back as if it had not been: status and wait as before, attempt not counted, no error.
 * `nextAttemptAt` and `code` stand instead of the old wait where the row has to wait for another's end.
 * False: the claim was lost, and nothing was changed.
 */
export async function giveBackClaim(
  db: Database,
  back: {
    id: number;
    claimToken: string;
    /** After the gate a late answer gives back even a row that was recovered as unknown meanwhile. */
    passedGate: boolean;
    waitInstead: { nextAttemptAt: Date; code: string; detail: string } | null;
    now: Date;
  },
): Promise<boolean> {
  const { id, claimToken, passedGate, waitInstead, now } = back;
  const { nextAttemptAt = null, code = null, detail = null } = waitInstead ?? {};
  const statement = passedGate ? updateGiveBackLate : updateGiveBack;
  return (await execute(db, statement, [id, claimToken, nextAttemptAt, code, detail, now])) > 0;
}

const isUnsent = `publish_status = 'publishing' and sending_at is null`;

// Recovery wiped what an unknown row was claimed from: its attempts tell. When it was sent, the publication does.
const givenBack = `
    publish_status = coalesce(claimed_from, case when publish_attempts > 1 then 'failed' else 'pending' end),
    publish_attempts = publish_attempts - 1,
    next_lookup_at = case when claimed_from = 'unknown' then next_lookup_at end,
    claim_token = null, claimed_at = null, claimed_from = null, claimed_wait = null,
    sending_at = case when claimed_from = 'unknown' then (
      select p.sending_at from publications p
      where p.route_article_id = route_articles.id and p.state in ('sending', 'unknown')) end`;

const giveBackText = (isOurs: string) => `
    update route_articles
    set ${givenBack},
        next_attempt_at = coalesce($3, claimed_wait), updated_at = $6,
        last_error_code = coalesce($4, last_error_code), last_error = coalesce($5, last_error)
    where id = $1 and ${isOurs}`;

const updateGiveBack = {
  name: 'give-back-claim',
  text: giveBackText(`claim_token = $2 and ${isUnsent}`),
};
const updateGiveBackLate = {
  name: 'give-back-claim-late',
  text: giveBackText(`coalesce(claim_token, $2) = $2 and publish_status in ('publishing', 'unknown')`),
};

/** A claim as it was taken. `attempts` null: whether it was committed at all is not known. */
export type TakenClaim = { id: number; claimToken: string; attempts: number | null };

/**
 * Gives back many claims in one statement, each exactly as it was taken and where nothing has left for it:
 * what has passed the gate, was ended or was never committed is not touched. Returns the ids given back.
 */
export async function giveBackClaims(
  db: Database,
  claims: readonly TakenClaim[],
  now: Date,
): Promise<number[]> {
  if (claims.length === 0) return [];
  const ids = claims.map(({ id }) => id);
  const tokens = claims.map(({ claimToken }) => claimToken);
  const attempts = claims.map(({ attempts }) => attempts);
  const rows = await query<{ id: number }>(db, updateGiveBackAll, [ids, tokens, attempts, now]);
  return rows.map(({ id }) => id);
}

const updateGiveBackAll = {
  name: 'give-back-claims',
  text: `
    update route_articles
    set ${givenBack}, next_attempt_at = claimed_wait, updated_at = $4
    from unnest($1::bigint[], $2::uuid[], $3::smallint[]) as taken (taken_id, token, attempts)
    where id = taken_id and claim_token = token and publish_attempts = coalesce(attempts, publish_attempts)
      and ${isUnsent}
    returning id`,
};
