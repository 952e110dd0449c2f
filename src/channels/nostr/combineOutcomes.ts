import type { PublishOutcome } from '../PublishOutcome.ts';
import { relayName } from './relayUrl.ts';
import type { RelayOutcome } from './sendNote.ts';

export type RelayAnswer = { relay: string; outcome: RelayOutcome };

type Refused = Exclude<RelayOutcome, { kind: 'taken' }>;

/**
 * What the relays' answers come to where fewer than `minRelays` took a note. Unknown as soon as one may have it: the
 * stored note is then sent again, the same, to all of them. Nobody has it: `minRelays` of them would have to change
 * their mind, so what counts is what the last of these said, the most hopeful first.
 */
export function combineOutcomes(answers: readonly RelayAnswer[], minRelays: number): PublishOutcome {
  const refusals = answers.flatMap(({ relay, outcome }) =>
    outcome.kind === 'taken' ? [] : [{ relay, outcome }],
  );
  const taken = answers.length - refusals.length;
  const missing = minRelays - taken;
  const words = refusals.map(({ relay, outcome }) => `${relayName(relay)}: ${outcome.detail}`);
  const detail = [...(taken === 0 ? [] : [`taken by ${taken} of ${minRelays} relays`]), ...words].join('; ');

  const outcomes = refusals.map(({ outcome }) => outcome);
  const unclear = outcomes.find(({ kind }) => kind === 'unknown');
  const deciding = unclear ?? outcomes.toSorted((a, b) => hopelessness(a) - hopelessness(b))[missing - 1];
  if (deciding === undefined)
    throw new Error(`${taken} of ${answers.length} relays took it: ${minRelays} are enough`);
  if (taken > 0) return { kind: 'unknown', code: deciding.code, detail };
  return { ...deciding, detail };
}

function hopelessness(outcome: Refused): number {
  switch (outcome.kind) {
    case 'unknown':
    case 'not_sent':
      return 0;
    case 'throttled':
      return 1;
    case 'failed':
      return outcome.isFinal ? 4 : 2;
    case 'blocked':
      return 3;
    default:
      return outcome satisfies never;
  }
}
