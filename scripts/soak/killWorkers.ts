import type { Fault } from '../../test/faults/support/Fault.ts';
import type { Worker } from '../../test/faults/support/worker.ts';
import { pause } from './every.ts';
import type { World } from './openWorld.ts';
import { createRandom, type Random } from './random.ts';
import type { Life, WorkerSlot } from './WorkerSlot.ts';

const firstBootMs = 1_500;
const longestWorkMs = 2_000;
/** Until a process is killed whose fault found nothing to strike at. */
const longestArmedMs = 4_000;
const mostNth = 6;
const lookEveryMs = 50;

type Kills = { kills: number; seed: number; signal: AbortSignal };

/**
 * Kills worker after worker, each one started again at once, until so many have died: on their way up, at a
 * random moment of their work, after a claim, and after the publisher accepted.
 */
export async function killWorkers(world: World, { kills, seed, signal }: Kills): Promise<void> {
  const { slots } = world;
  const over = new AbortController();
  for (const [index, slot] of slots.entries()) {
    const planned = planShortLives(createRandom(seed, `kills ${index + 1}`), over.signal);
    slot.planLife = planned;
    slot.start();
  }
  while (countKills(slots) < kills && !signal.aborted) await pause(lookEveryMs, signal);
  over.abort();
  for (const slot of slots) slot.planLife = () => ({ faults: [] });
}

/** How many processes were killed so far, by whatever did it. */
export function countKills(slots: readonly WorkerSlot[]): number {
  return slots.flatMap(slot => slot.deaths).filter(({ signal }) => signal === 'SIGKILL').length;
}

const ends = ['boot', 'work', 'claim', 'claim', 'accepted', 'accepted'] as const;

function planShortLives(random: Random, over: AbortSignal): () => Life {
  // How long a start takes is the machine's affair, and how busy it is.
  let bootMs = firstBootMs;
  const killAfter = (ms: number) => async (worker: Worker) => {
    const startedMs = performance.now();
    const isUp = await worker.logged('started').catch(() => null);
    if (isUp) bootMs = performance.now() - startedMs;
    await pause(ms, over);
    if (!over.aborted) worker.signal('SIGKILL');
  };
  return () => {
    const [end, share, nth] = [random.pick(ends), random.next(), random.whole(1, mostNth)];
    switch (end) {
      case 'boot':
        return { faults: [], attend: worker => void killAtBoot(worker, share * bootMs, over) };
      case 'work':
        return living([], killAfter(share * longestWorkMs));
      case 'claim':
        return living([{ ...afterClaim, nth }], killAfter(longestArmedMs));
      case 'accepted':
        return living([{ ...onceAccepted, nth }], killAfter(longestArmedMs));
      default:
        return end satisfies never;
    }
  };
}

const afterClaim: Fault = { when: 'after', statement: 'claim-route-article', do: 'kill' };
const onceAccepted: Fault = { when: 'before', statement: 'record-published', do: 'kill' };

function living(faults: readonly Fault[], end: (worker: Worker) => Promise<void>): Life {
  return { faults, attend: worker => void end(worker) };
}

async function killAtBoot(worker: Worker, ms: number, over: AbortSignal): Promise<void> {
  await pause(ms, over);
  if (!over.aborted) worker.signal('SIGKILL');
}
