import type { JobSchedulerJson } from 'bullmq';
import type { WantedScheduler } from './schedule.ts';
import type { TickQueue } from './store.ts';

/**
 * What is wrong with a scheduler: `missing` (a flushed store), `different` (interval or offset changed),
 * `far` (its next tick lies more than two intervals ahead: the clock was set back), `stuck` (overdue by
 * more than two intervals and no job is left that would carry it on).
 */
export type SchedulerFault = 'missing' | 'different' | 'far' | 'stuck';

export type FoundScheduler = Pick<JobSchedulerJson, 'every' | 'offset' | 'next'>;

const intervalsAllowed = 2;

/** Compares a scheduler with what it should be; null: nothing to mend. `found` null: there is none. */
export async function schedulerFault(
  queue: TickQueue,
  wanted: WantedScheduler,
  found: FoundScheduler | null,
  now: Date,
): Promise<SchedulerFault | null> {
  if (found === null) return 'missing';
  if (found.every !== wanted.everyMs || found.offset !== wanted.offsetMs) return 'different';

  const nextMs = found.next ?? 0;
  const allowedMs = intervalsAllowed * wanted.everyMs;
  if (nextMs > now.getTime() + allowedMs) return 'far';
  if (nextMs >= now.getTime() - allowedMs) return null;
  // Overdue and pending only means that no worker is there: one overdue tick waits, not many.
  return (await isPending(queue, wanted.id, nextMs)) ? null : 'stuck';
}

const pendingStates = new Set(['delayed', 'waiting', 'active', 'prioritized', 'waiting-children']);

async function isPending(queue: TickQueue, schedulerId: string, slotMs: number) {
  return pendingStates.has(await queue.getJobState(tickJobId(schedulerId, slotMs)));
}

/** BullMQ's id for the tick of a slot: the deduplication of ticks. `slotMs` is since the epoch. */
export function tickJobId(schedulerId: string, slotMs: number) {
  return `repeat:${schedulerId}:${slotMs}`;
}
