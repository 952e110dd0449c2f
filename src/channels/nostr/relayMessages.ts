import { z } from 'zod';
import { parseJson } from '../json.ts';

// What relays say (NIP-01). A text that is none of these is passed over.

const ok = z.tuple([z.literal('OK'), z.string(), z.boolean()]).rest(z.unknown());
const event = z.tuple([z.literal('EVENT'), z.string(), z.unknown()]).rest(z.unknown());
const end = z.tuple([z.literal('EOSE'), z.string()]).rest(z.unknown());
const closed = z.tuple([z.literal('CLOSED'), z.string()]).rest(z.unknown());
const notice = z.tuple([z.literal('NOTICE'), z.string()]).rest(z.unknown());

export type RelayMessage =
  /** Whether the relay took an event. */
  | { kind: 'ok'; eventId: string; isTaken: boolean; words: string }
  | { kind: 'event'; subscription: string; event: unknown }
  /** Of what it has stored, that was all. */
  | { kind: 'end'; subscription: string }
  | { kind: 'closed'; subscription: string; words: string }
  /** Its words, about nothing in particular. */
  | { kind: 'notice'; words: string };

/** Reads a relay's message. Null: none that is known. */
export function readRelayMessage(text: string): RelayMessage | null {
  const said = parseJson(text);
  const taken = ok.safeParse(said).data;
  if (taken) return { kind: 'ok', eventId: taken[1], isTaken: taken[2], words: wordsIn(taken[3]) };
  const stored = event.safeParse(said).data;
  if (stored) return { kind: 'event', subscription: stored[1], event: stored[2] };
  const ended = end.safeParse(said).data;
  if (ended) return { kind: 'end', subscription: ended[1] };
  const shut = closed.safeParse(said).data;
  if (shut) return { kind: 'closed', subscription: shut[1], words: wordsIn(shut[2]) };
  const noticed = notice.safeParse(said).data;
  return noticed ? { kind: 'notice', words: wordsIn(noticed[1]) } : null;
}

const maxWordsChars = 120;

// For people, in one line: a relay may say anything.
function wordsIn(value: unknown): string {
  const words = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  return words.length > maxWordsChars ? `${words.slice(0, maxWordsChars)}…` : words;
}
