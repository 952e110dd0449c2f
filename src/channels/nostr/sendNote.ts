import { outcomeWithoutAnswer } from '../answerOutcome.ts';
import type { SendContext } from '../Channel.ts';
import type { PublishOutcome } from '../PublishOutcome.ts';
import type { SignedNote } from './composeNote.ts';
import { refusalOf } from './refusalOf.ts';
import { readRelayMessage } from './relayMessages.ts';

/** What came of a note at one relay. `taken`: it has it, be it from before. */
export type RelayOutcome =
  | { kind: 'taken' }
  | Exclude<PublishOutcome, { kind: 'succeeded' } | { kind: 'skipped' }>;

/** Sends a note to one relay. What the relay says beside its answer helps to explain that there was none. */
export async function sendNote(
  note: SignedNote,
  relay: string,
  { exchangeMessage }: Pick<SendContext, 'exchangeMessage'>,
): Promise<RelayOutcome> {
  let noticed = '';
  const result = await exchangeMessage({
    url: relay,
    message: JSON.stringify(['EVENT', note]),
    isAnswer(text) {
      const said = readRelayMessage(text);
      if (said?.kind === 'notice') noticed = said.words;
      return said?.kind === 'ok' && said.eventId === note.id;
    },
  });
  if (result.phase !== 'answered') {
    const detail = noticed === '' ? result.detail : `${result.detail}; it said: ${noticed}`;
    return relayOutcome(outcomeWithoutAnswer({ ...result, detail }));
  }
  const said = readRelayMessage(result.text);
  if (said?.kind !== 'ok')
    return { kind: 'unknown', code: 'unreadable_answer', detail: 'its answer was lost' };
  return said.isTaken ? { kind: 'taken' } : refusalOf(said.words);
}

function relayOutcome(outcome: PublishOutcome): RelayOutcome {
  if (outcome.kind === 'succeeded' || outcome.kind === 'skipped') return { kind: 'taken' };
  return outcome;
}
