import type { Database } from '../database/Database.ts';
import type { FeedItem } from '../ingestion/FeedItem.ts';
import { storeItems } from '../ingestion/storeItems.ts';
import type { Import } from '../models/importClaims.ts';
import { lockFeedOfImport } from '../models/importFeeds.ts';
import type { ImportRow } from '../models/importRows.ts';
import type { ImportOptions } from '../models/imports.ts';
import type { Added } from './addFeeds.ts';
import { articleOfRecord } from './records.ts';

type ArticleImport = Import & { options: Extract<ImportOptions, { mode: 'route' | 'baseline' }> };

/**
 * Stores articles as those of the import's feed, known by the same keys as what is read from it, so that
 * nothing that either has brought comes twice. Routed as the feed's routes say, however young the feed; of a
 * `baseline` nothing is, and what is known stays as it is. In the caller's transaction.
 */
export async function storeArticles(
  trx: Database,
  { feedId, options }: ArticleImport,
  rows: readonly ImportRow[],
  { now, newId }: { now: Date; newId: () => string },
): Promise<Added | { refused: string }> {
  const feed = feedId === null ? null : await lockFeedOfImport(trx, feedId);
  if (feed === null) return { refused: 'its feed is no longer in use' };
  const items: FeedItem[] = rows.map(({ record }) => articleOfRecord(record));
  const isBaseline = options.mode === 'baseline';
  // A file says what it says: nobody's page is asked about it.
  const unasked = { ...feed, enrichWithinMs: null };
  const importing = isBaseline
    ? { ...unasked, firstImportedAt: null, lastCompleteAt: null, firstImport: { mode: 'baseline' } as const }
    : { ...unasked, firstImportedAt: feed.firstImportedAt ?? now };
  const context = { now, newId, order: 'as_given', keepsTexts: isBaseline } as const;
  const stored = await storeItems(trx, importing, items, context);
  const { newArticles: added, queued, tooOld } = stored;
  return { added, bad: 0, queued, tooOld, problems: [] };
}
