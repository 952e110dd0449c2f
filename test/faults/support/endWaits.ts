import { systemClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';

const longAgoMs = 1_000;

/**
 * Ends every wait that lies ahead, as time would: backoff, look-ups and holds. Tests assert the rows' own
 * values first, and then need not wait five minutes.
 */
export async function endWaits(db: Database): Promise<void> {
  await endLookUpWaits(db);
  const { now, ended } = instants();
  const waiting = db('route_articles')
    .where('next_attempt_at', '>', now)
    .whereNot({ publish_status: 'dead' });
  await waiting.update({ next_attempt_at: ended });
  for (const table of ['channels', 'accounts']) {
    await db(table).where('held_until', '>', now).update({ held_until: ended });
  }
}

/** Ends the waits for the next look-up, or repeat, of unknown outcomes alone. */
export async function endLookUpWaits(db: Database): Promise<void> {
  const { now, ended } = instants();
  await db('route_articles').where('next_lookup_at', '>', now).update({ next_lookup_at: ended });
}

function instants() {
  const now = systemClock.now();
  return { now, ended: new Date(now.getTime() - longAgoMs) };
}
