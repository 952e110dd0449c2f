import { systemClock } from '../../src/clock.ts';
import { endWaits } from '../../test/faults/support/endWaits.ts';
import { findStuck } from '../../test/faults/support/findStuck.ts';
import { type History, readHistory } from '../../test/faults/support/history.ts';
import { pause } from './every.ts';
import { waitsForCap } from './findLost.ts';
import type { World } from './openWorld.ts';

const lookEveryMs = 1_000;
const worthExplainingAfterMs = 4_000;
/** Longer than the slots that a shifted clock has used ahead of time, and several ticks. */
const giveUpAfterMs = 60_000;
const patienceMs = 20_000;

/** Takes away what is left of the faults; processes that have one in store are replaced. */
export async function mendAll({ slots, redis }: World, complain: (sentence: string) => void): Promise<void> {
  redis?.thaw();
  await redis?.start();
  for (const slot of slots) {
    await slot.mend();
    if (slot.isArmed) await slot.replace().catch(error => complain(`${slot.name}: ${error.message}`));
    void slot.shiftClock(0);
  }
}

/**
 * Lets the workers run on, and every wait end, until nothing is left that may go out, or nothing has moved for
 * a minute; then reads the history, when nothing in it is stuck, or after some patience.
 */
export async function settleDown({ db, publisher }: World, signal: AbortSignal): Promise<History> {
  const read = () => readHistory(db, { posts: publisher.posts, at: systemClock.now() });
  let left = Number.POSITIVE_INFINITY;
  let movedMs = performance.now();
  while (!signal.aborted && performance.now() - movedMs < giveUpAfterMs) {
    await endWaits(db);
    const leftNow = await countLeft(db);
    if (leftNow !== left) movedMs = performance.now();
    left = leftNow;
    if (left === 0) break;
    if (performance.now() - movedMs > worthExplainingAfterMs && waitForCaps(await read())) break;
    await pause(lookEveryMs, signal);
  }
  return whenNothingIsStuck(read, signal);
}

async function countLeft(db: World['db']): Promise<number> {
  const { rows } = await db.raw(`
    select count(*)::int as left from route_articles
    where publish_status in ('pending', 'failed', 'publishing', 'unknown')`);
  return rows[0].left;
}

function waitForCaps(history: History): boolean {
  const left = history.routeArticles.filter(row => history.explanations.has(row.id));
  return left.every(row => waitsForCap(row, history));
}

// What a consumer should mend may take it a moment.
async function whenNothingIsStuck(read: () => Promise<History>, signal: AbortSignal): Promise<History> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const history = await read();
    if (signal.aborted || performance.now() > untilMs || findStuck(history).length === 0) return history;
    await pause(lookEveryMs, signal);
  }
}
