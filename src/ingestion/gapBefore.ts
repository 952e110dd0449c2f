import type { ApprovalHold } from '../models/insertRouteArticles.ts';

const dayMs = 24 * 3_600_000;
const longestGapMs = 3 * dayMs;

/**
 * Why all that is new in a read is held for approval: so long was the feed not read to its end that the
 * database may have been restored, and what is new to it be long out. Null: there was no such gap, or it is the
 * first read, of which `firstImport` decides. A feed that is read every week has a gap after two of them.
 */
export function gapBefore(
  { lastCompleteAt, everyMs }: { lastCompleteAt: Date | null; everyMs: number },
  now: Date,
): ApprovalHold | null {
  if (lastCompleteAt === null) return null;
  const gapMs = now.getTime() - lastCompleteAt.getTime();
  if (gapMs <= Math.max(longestGapMs, 2 * everyMs)) return null;
  const detail = `found after a gap of ${Math.floor(gapMs / dayMs)} days without a complete read`;
  return { reason: 'after_gap', detail };
}
