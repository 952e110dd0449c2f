import { type Database, execute, query } from '../database/Database.ts';

// The claim of an article that is enriched, from its taking to its end: every write is matched by its token.

export type EnrichmentClaim = { articleId: number; claimToken: string };

export type ArticleToEnrich = {
  id: number;
  url: string;
  /** This one included. */
  attempts: number;
};

const noClaim = 'enrichment_claim_token = null, enrichment_claimed_at = null';

/** Claims the oldest article of a host that is due, under the host's lock. Null: none is. */
export async function claimArticle(
  db: Database,
  { host, claimToken, now }: { host: string; claimToken: string; now: Date },
): Promise<ArticleToEnrich | null> {
  const [claimed] = await query<ArticleToEnrich>(db, updateClaim, [host, claimToken, now]);
  return claimed ?? null;
}

const updateClaim = {
  name: 'claim-article',
  text: `
    with next as materialized (
      select id from articles
      where enrichment_host = $1 and enrichment_status = 'pending'
        and coalesce(enrichment_next_at, '-infinity') <= $3
      order by id limit 1 for update
    )
    update articles a
    set enrichment_status = 'running', enrichment_claim_token = $2, enrichment_claimed_at = $3,
        enrichment_attempts = enrichment_attempts + 1
    from next where a.id = next.id returning a.id, a.url, a.enrichment_attempts as attempts`,
};

/**
 * Puts claims back in one statement, as if the articles had not been taken up. What is no longer as it was
 * claimed is left alone. Returns how many it put back.
 */
export async function giveBackArticles(db: Database, claimTokens: readonly string[]): Promise<number> {
  return execute(db, updateGivenBack, [claimTokens]);
}

// By token alone: one whose claim was never answered does not know its article.
const updateGivenBack = {
  name: 'give-back-articles',
  text: `
    update articles a
    set enrichment_status = 'pending', enrichment_attempts = enrichment_attempts - 1, ${noClaim}
    from unnest($1::uuid[]) as claimed (claim_token)
    where a.enrichment_claim_token = claimed.claim_token and a.enrichment_status = 'running'`,
};

/** Every host of which an article is claimed, whether its process lives or not. */
export async function hostsWithClaimedArticles(db: Database): Promise<string[]> {
  return (await query<{ host: string }>(db, selectClaimedHosts)).map(({ host }) => host);
}

const selectClaimedHosts = {
  name: 'hosts-with-claimed-articles',
  text: `select enrichment_host as host from articles where enrichment_status = 'running' order by id`,
};

export type InterruptedArticle = EnrichmentClaim & { attempts: number };

/** A host's claimed article, locked for the transaction; null: none is. Whoever holds its lock knows: orphaned. */
export async function lockInterruptedArticle(db: Database, host: string): Promise<InterruptedArticle | null> {
  const [found] = await query<InterruptedArticle>(db, selectInterrupted, [host]);
  return found ?? null;
}

const selectInterrupted = {
  name: 'lock-interrupted-article',
  text: `
    select id as "articleId", enrichment_claim_token as "claimToken", enrichment_attempts as attempts
    from articles where enrichment_host = $1 and enrichment_status = 'running' for update`,
};

/** What a page can fill in. */
export type Enrichable = {
  summary: string | null;
  author: string | null;
  language: string | null;
  imageUrl: string | null;
  imageAlt: string | null;
  imageWidth: number | null;
  imageHeight: number | null;
  siteName: string | null;
  pageUrl: string | null;
};

/** A claimed article as it stands, locked for the transaction; null: the claim is someone else's now. */
export async function lockClaimedArticle(
  db: Database,
  { articleId, claimToken }: EnrichmentClaim,
): Promise<Enrichable | null> {
  const [found] = await query<Enrichable>(db, selectClaimed, [articleId, claimToken]);
  return found ?? null;
}

const selectClaimed = {
  name: 'lock-claimed-article',
  text: `
    select summary, author, language, image_url as "imageUrl", image_alt as "imageAlt",
           image_width as "imageWidth", image_height as "imageHeight", site_name as "siteName",
           page_url as "pageUrl"
    from articles where id = $1 and enrichment_claim_token = $2 for update`,
};

/** Ends a claim with what the article says now. False: the claim was lost. */
export async function recordEnriched(
  db: Database,
  { articleId, claimToken, ...now }: EnrichmentClaim & Enrichable,
): Promise<boolean> {
  const image = [now.imageUrl, now.imageAlt, now.imageWidth, now.imageHeight];
  const texts = [now.summary, now.author, now.language, ...image, now.siteName, now.pageUrl];
  return (await execute(db, updateEnriched, [articleId, claimToken, ...texts])) > 0;
}

// Without content_hash: a later read of the feed compares what the feed said with what it says.
const updateEnriched = {
  name: 'record-enriched',
  text: `
    update articles
    set summary = $3, author = $4, language = $5, image_url = $6, image_alt = $7, image_width = $8,
        image_height = $9, site_name = $10, page_url = $11, enrichment_status = 'done',
        enrichment_error = null, enrichment_next_at = null, ${noClaim}
    where id = $1 and enrichment_claim_token = $2`,
};

export type EnrichmentFailure = EnrichmentClaim & {
  error: string;
  /** When it is tried again; null: never. */
  nextAt: Date | null;
};

/** Ends a claim with a failure or an interruption. False: the claim was lost. */
export async function recordEnrichmentFailure(db: Database, failure: EnrichmentFailure): Promise<boolean> {
  const { articleId, claimToken, error, nextAt } = failure;
  return (await execute(db, updateFailed, [articleId, claimToken, error, nextAt])) > 0;
}

const updateFailed = {
  name: 'record-enrichment-failure',
  text: `
    update articles
    set enrichment_status = case when $4::timestamptz is null then 'failed' else 'pending' end,
        enrichment_error = $3, enrichment_next_at = $4, ${noClaim}
    where id = $1 and enrichment_claim_token = $2`,
};
