import type { ChooseBehaviour } from '../../test/faults/support/fakePublisher.ts';
import type { PublisherBehaviour } from '../../test/faults/support/publisherPath.ts';
import { limitsInForce } from '../../test/faults/support/realTime.ts';
import { createRandom } from './random.ts';

/** Articles of this kind are refused until a person has them sent once more. */
export const refusedTitle = 'Refused';

const triesWithTrouble = 3;
const refusalsOfOne = 4;
const lateAnswerMs = 1.2 * limitsInForce.sendAnswerMs;
/** Soon enough that a request which arrives so late is still within what a look-up allows for. */
const lateAcceptMs = Math.min(1_500, limitsInForce.settleAfterMs / 2);

type Trouble = { share: number; behaviour: PublisherBehaviour };

const troubles: readonly Trouble[] = [
  { share: 0.05, behaviour: { kind: 'accept_then_drop' } },
  { share: 0.015, behaviour: { kind: 'refuse' } },
  { share: 0.015, behaviour: { kind: 'answer_late', delayMs: lateAnswerMs } },
  { share: 0.01, behaviour: { kind: 'accept_late', delayMs: lateAcceptMs } },
  { share: 0.01, behaviour: { kind: 'answer_garbage' } },
  { share: 0.015, behaviour: { kind: 'answer', status: 500 } },
  { share: 0.01, behaviour: { kind: 'answer', status: 429 } },
];

/**
 * The moods of the publisher: of all answers 5 % are dropped after it accepted, some before, some come late,
 * some are garbage, some say no. What becomes of the nth try of an article is decided by the seed alone; from
 * the fourth on it is taken, so that nothing is unlucky for ever.
 */
export function answersBySeed(seed: number): ChooseBehaviour {
  const tries = new Map<string, number>();
  return (_path, { title }) => {
    const nth = (tries.get(title) ?? 0) + 1;
    tries.set(title, nth);
    return answerTo({ seed, title, nth });
  };
}

/** How the nth try of an article is dealt with; null: it is accepted, and the answer says so. */
export function answerTo(about: { seed: number; title: string; nth: number }): PublisherBehaviour | null {
  const { seed, title, nth } = about;
  if (title.startsWith(refusedTitle)) return nth <= refusalsOfOne ? { kind: 'answer', status: 400 } : null;
  if (nth > triesWithTrouble) return null;
  let left = createRandom(seed, `answer ${nth} to ${title}`).next();
  for (const { share, behaviour } of troubles) {
    if (left < share) return behaviour;
    left -= share;
  }
  return null;
}
