import type { Database } from '../database/Database.ts';
import { recordAudit } from '../models/auditLog.ts';
import { lockConfiguration } from '../models/configuration.ts';
import { insertFeed } from '../models/feedConfiguration.ts';
import type { Import, RowsPutIn } from '../models/importClaims.ts';
import { everyFeed, type NamedFeed } from '../models/importFeeds.ts';
import type { ImportRow } from '../models/importRows.ts';
import type { ImportOptions, ImportProblem } from '../models/imports.ts';
import { canonicalUrl } from '../network/canonicalUrl.ts';
import { feedOfRecord } from './records.ts';
import { uniqueName } from './uniqueName.ts';

/** What came of some rows. */
export type Added = Omit<RowsPutIn, 'done'>;

type FeedImport = Import & { options: Extract<ImportOptions, { mode: 'feeds' }> };

/**
 * Adds the feeds that the workspace does not have, each under a name of its own, and touches none that it has.
 * In the caller's transaction, and never beside an apply, which decides about names and feeds as well.
 */
export async function addFeeds(
  trx: Database,
  { id: importId, workspaceId, options }: FeedImport,
  rows: readonly ImportRow[],
  { now }: { now: Date },
): Promise<Added> {
  await lockConfiguration(trx, []);
  const known = await everyFeed(trx, workspaceId);
  const names = new Set(known.map(({ name }) => name));
  const byUrl = new Map<string, NamedFeed | null>(known.map(feed => [keyOf(feed.url), feed]));
  const problems: ImportProblem[] = [];
  let added = 0;
  for (const { row, record } of rows) {
    const { name: wanted, url } = feedOfRecord(record);
    const same = byUrl.get(keyOf(url));
    if (same?.isArchived) problems.push({ row, reason: archived(same) });
    if (same !== undefined) continue;
    const name = uniqueName(wanted, names);
    names.add(name);
    byUrl.set(keyOf(url), null);
    const { everyMs, firstImport } = options;
    const reading = { everyMs, firstImport, maxAgeMs: null, enrichWithinMs: null };
    const values = { workspaceId, name, url, ...reading, paused: false };
    const subjectId = await insertFeed(trx, values, now);
    const subject = { workspaceId, subjectType: 'feed', subjectId } as const;
    await recordAudit(trx, {
      ...subject,
      actor: 'import',
      action: 'create',
      detail: { name, url, importId },
      now,
    });
    added += 1;
  }
  return { added, bad: problems.length, queued: 0, tooOld: 0, problems };
}

function keyOf(url: string): string {
  return URL.canParse(url) ? canonicalUrl(url) : url;
}

function archived({ name }: NamedFeed): string {
  return `the feed "${name}" with this URL is archived: name it in config.yaml to bring it back`;
}
