import { findStuck } from '../../test/faults/support/findStuck.ts';
import { findViolations } from '../../test/faults/support/findViolations.ts';
import type { History } from '../../test/faults/support/history.ts';
import { findLinkPostedTwice, findLost } from './findLost.ts';
import type { WorkerSlot } from './WorkerSlot.ts';

/** Every sentence of what does not hold, by the promise that it breaks. */
export type Broken = Readonly<Record<'postedTwice' | 'lost' | 'stuck' | 'other', readonly string[]>>;

/** Holds a whole history, and how the processes ended, against what was promised. */
export function findBroken(
  history: History,
  { fed, slots, complaints }: { fed: number; slots: readonly WorkerSlot[]; complaints: readonly string[] },
): Broken {
  const violations = findViolations(history);
  const isTwice = (sentence: string) => /accepted \d+ times|repeated \d+ times/.test(sentence);
  const isForgotten = (sentence: string) => sentence.includes('has no publication');
  return {
    postedTwice: [...violations.filter(isTwice), ...findLinkPostedTwice(history)],
    lost: [...findLost(history, fed), ...violations.filter(isForgotten)],
    stuck: findStuck(history),
    other: [
      ...violations.filter(sentence => !isTwice(sentence) && !isForgotten(sentence)),
      ...findCrashes(slots),
      ...complaints,
    ],
  };
}

// By SIGTERM while it had no ear for it yet.
const ordered: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM'];

/** Processes that neither a kill nor an order to stop has ended. */
function findCrashes(slots: readonly WorkerSlot[]): string[] {
  return slots.flatMap(({ name, deaths }) =>
    deaths.flatMap(({ exitCode, signal, lastWords }, index) => {
      if (exitCode === 0 || (signal !== null && ordered.includes(signal))) return [];
      return [`${name}, process ${index + 1}, ended by itself (${signal ?? exitCode}): ${lastWords}`];
    }),
  );
}
