import { forgetFutureTicks } from './futureTicks.ts';
import type { WantedScheduler } from './schedule.ts';
import { type FoundScheduler, schedulerFault } from './schedulerFault.ts';
import type { TickQueue } from './store.ts';

/** Runs `work` while no other process runs any under the same key; waits for its turn. */
export type WithLock = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

const pageSize = 1_000;

/**
 * Makes the job schedulers of a queue equal to `wanted`, which PostgreSQL says: creates what is missing
 * (losing the store is silent, ticking just stops), replaces what differs or no longer moves, removes the
 * rest. Changes no scheduler when all is right; any number of processes may run it at once.
 *
 * `withLock` null: the store's upsert is atomic, as Redis's is. The PostgreSQL one is not: without a lock
 * two processes that upsert one scheduler make two ticks. Such a double is left to fire once: BullMQ lets
 * only a scheduler's current tick make the next one, and cannot remove another.
 */
export async function reconcileSchedules({
  queue,
  wanted,
  withLock,
  now,
}: {
  queue: TickQueue;
  wanted: readonly WantedScheduler[];
  withLock: WithLock | null;
  now: Date;
}): Promise<void> {
  // How long the stream of events may grow is kept in the store, and lost with it.
  await queue.getBackend().setQueueMeta(queue.metaValues);
  const found = await readSchedulers(queue);
  const lock: WithLock = withLock ?? ((_key, work) => work());
  for (const scheduler of wanted) {
    const fault = await schedulerFault(queue, scheduler, found.get(scheduler.id) ?? null, now);
    if (fault === null) continue;
    await lock(lockKey(queue, scheduler.id), () => mend(queue, scheduler, now));
  }

  const wantedIds = new Set(wanted.map(({ id }) => id));
  for (const id of found.keys()) {
    if (wantedIds.has(id)) continue;
    await lock(lockKey(queue, id), () => queue.removeJobScheduler(id));
  }
}

async function mend(queue: TickQueue, wanted: WantedScheduler, now: Date) {
  // Looked at again under the lock: another process may have been faster.
  const found = (await queue.getJobScheduler(wanted.id)) ?? null;
  const fault = await schedulerFault(queue, wanted, found, now);
  if (fault === null) return;

  // An upsert keeps the slot of a tick that is pending: right for a restart, wrong for a fault.
  if (found !== null) await queue.removeJobScheduler(wanted.id);
  if (fault === 'far' || fault === 'stuck') await forgetFutureTicks(queue, now);
  await queue.upsertJobScheduler(
    wanted.id,
    { every: wanted.everyMs, offset: wanted.offsetMs },
    { name: wanted.jobName, data: wanted.payload },
  );
}

async function readSchedulers(queue: TickQueue): Promise<ReadonlyMap<string, FoundScheduler>> {
  const found = new Map<string, FoundScheduler>();
  for (let start = 0; ; start += pageSize) {
    const page = await queue.getJobSchedulers(start, start + pageSize - 1, true);
    for (const scheduler of page) found.set(scheduler.key, scheduler);
    if (page.length < pageSize) return found;
  }
}

function lockKey(queue: TickQueue, schedulerId: string) {
  return `scheduler:${queue.name}:${schedulerId}`;
}
