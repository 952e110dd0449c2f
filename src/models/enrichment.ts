import { type Database, execute, query } from '../database/Database.ts';
import { unlessBrokenOff } from '../database/transact.ts';

// Which articles are to be enriched from their pages, and what waits for it. Their claims: enrichmentClaims.ts.

/**
 * Puts articles in the queue of their hosts, in the caller's transaction; those that were in it before stay. A host
 * that asked to be left alone is left alone for them too.
 */
export async function markForEnrichment(
  db: Database,
  articles: readonly { id: number; host: string }[],
): Promise<void> {
  if (articles.length === 0) return;
  await execute(db, updateMarked, [articles.map(({ id }) => id), articles.map(({ host }) => host)]);
}

// What waits at a host is looked through once: thousands may, and thousands come.
const updateMarked = {
  name: 'mark-for-enrichment',
  text: `
    with hosts as materialized (
      select given.host, (
        select max(other.enrichment_next_at) from articles other
        where other.enrichment_host = given.host and other.enrichment_status in ('pending', 'running')) as next_at
      from (select distinct host from unnest($2::text[]) as n (host)) given
    )
    update articles a
    set enrichment_status = 'pending', enrichment_host = n.host, enrichment_next_at = hosts.next_at
    from unnest($1::bigint[], $2::text[]) as n (id, host) join hosts on hosts.host = n.host
    where a.id = n.id and a.enrichment_status = 'none' and a.url is not null`,
};

/** Worked through in one go at most; what is left over is still due at the next tick. */
const maxHostsPerRun = 200;

/** The hosts of which a page is due, or was left over, by their oldest article. */
export async function hostsToEnrich(db: Database, now: Date): Promise<string[]> {
  return (await query<{ host: string }>(db, selectHosts, [now])).map(({ host }) => host);
}

const selectHosts = {
  name: 'hosts-to-enrich',
  text: `
    select enrichment_host as host from articles
    where enrichment_status in ('pending', 'running') and coalesce(enrichment_next_at, '-infinity') <= $1
    group by enrichment_host order by min(id) limit ${maxHostsPerRun}`,
};

/**
 * Asks nothing of a host before `until`, for whatever article of it. Tries again where the database broke it off: a
 * read of a feed changes articles in an order of its own.
 */
export async function postponeHost(
  db: Database,
  { host, until }: { host: string; until: Date },
): Promise<void> {
  await unlessBrokenOff(() => execute(db, updatePostponed, [host, until]));
}

const updatePostponed = {
  name: 'postpone-host',
  text: `
    update articles set enrichment_next_at = greatest(enrichment_next_at, $2)
    where enrichment_host = $1 and enrichment_status = 'pending'`,
};

/**
 * Ends the wait of what is queued of an article, in the transaction that ends its enrichment. What waits for
 * another reason, or has been taken up, is left alone.
 */
export async function endEnrichmentWait(db: Database, articleId: number, now: Date): Promise<void> {
  await execute(db, updateWaiting, [articleId, now]);
}

const updateWaiting = {
  name: 'end-enrichment-wait',
  text: `
    update route_articles set next_attempt_at = null, last_error_code = null, updated_at = $2
    where article_id = $1 and publish_status = 'pending' and last_error_code = 'enriching'`,
};
