import type { TickQueue } from './store.ts';

const newest = 100;
const noLimit = Number.MAX_SAFE_INTEGER;

/**
 * Forgets the finished ticks if one of them finished after `now`, which only a clock that was set back
 * can make so. Such ticks occupy the ids of slots to come, and BullMQ ends a chain at a slot that is
 * taken. The rest of the history goes with them: BullMQ cannot remove the ticks of a scheduler one by one.
 */
export async function forgetFutureTicks(queue: TickQueue, now: Date): Promise<void> {
  for (const state of ['completed', 'failed'] as const) {
    const finished = await queue.getJobs([state], 0, newest - 1);
    const latest = Math.max(0, ...finished.map(job => job?.finishedOn ?? 0));
    if (latest <= now.getTime()) continue;
    // The grace counts back from the system's clock; a negative one reaches what lies ahead.
    await queue.clean(now.getTime() - latest - 1, noLimit, state);
  }
}
