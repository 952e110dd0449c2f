import { verifyEvent } from 'nostr-tools/pure';
import { z } from 'zod';
import { sameLink } from '../../text/sameLink.ts';
import type { ExistingContext, LookUpAnswer, Post } from '../Channel.ts';
import { lookBackMs } from '../settingsParts.ts';
import type { NostrAccount } from './account.ts';
import { publicKeyOf } from './keys.ts';
import { linksOf } from './linksOf.ts';
import { noteUrl } from './noteUrl.ts';
import { readRelayMessage } from './relayMessages.ts';
import { relayName } from './relayUrl.ts';
import type { NostrSettings } from './settings.ts';

const subscription = 'headway';
const maxNotes = 20;
const maxAnswerBytes = 1_000_000;

const storedNote = z.object({
  id: z.string(),
  pubkey: z.string(),
  created_at: z.number(),
  kind: z.literal(1),
  tags: z.array(z.array(z.string())),
  content: z.string(),
  sig: z.string(),
});

/**
 * Searches the relays for a note of this account that bears the same publication's key, or the same link within the
 * window. What one of them has is there; that nothing is there has to be said by `minRelays` of them, since as
 * many had it if it was ever published. A relay that lets nobody read without a log-in says nothing.
 */
export async function findNote(
  post: Post,
  settings: NostrSettings,
  { account, askedAt, notBefore, exchangeMessage }: ExistingContext<NostrAccount>,
): Promise<LookUpAnswer> {
  const windowMs = lookBackMs(settings.duplicates);
  if (windowMs === null) return { kind: 'not_found' };
  const since = notBefore ?? new Date(askedAt.getTime() - windowMs);
  const wanted = { post, pubkey: publicKeyOf(account.credentials.username), since };
  const answers = await Promise.all(settings.relays.map(relay => askRelay(relay, wanted, exchangeMessage)));

  const found = answers.find(({ kind }) => kind === 'found');
  if (found) return found;
  const denials = answers.filter(({ kind }) => kind === 'not_found').length;
  if (denials >= settings.minRelays) return { kind: 'not_found' };
  const detail = answers.flatMap(answer => (answer.kind === 'incomplete' ? answer.detail : [])).join('; ');
  return { kind: 'incomplete', detail };
}

type Wanted = { post: Post; pubkey: string; since: Date };

async function askRelay(
  relay: string,
  wanted: Wanted,
  exchangeMessage: ExistingContext['exchangeMessage'],
): Promise<LookUpAnswer> {
  let noticed = '';
  const result = await exchangeMessage({
    url: relay,
    message: JSON.stringify(['REQ', subscription, ...filtersOf(wanted)]),
    maxAnswerBytes,
    isAnswer(text) {
      const said = readRelayMessage(text);
      if (said?.kind === 'notice') {
        noticed = said.words;
        return isRefusal(noticed);
      }
      if (said === null || !('subscription' in said) || said.subscription !== subscription) return false;
      return said.kind !== 'event' || wantedNote(said.event, wanted) !== null;
    },
  });
  const said = result.phase === 'answered' ? readRelayMessage(result.text) : null;
  const note = said?.kind === 'event' ? wantedNote(said.event, wanted) : null;
  if (note) return { kind: 'found', remoteId: note.id, remoteUrl: noteUrl(note, [relay]) };
  if (said?.kind === 'end') return { kind: 'not_found' };
  const words = said?.kind === 'closed' ? said.words : noticed;
  const failure = result.phase === 'answered' ? 'no answer' : result.detail;
  return { kind: 'incomplete', detail: `${relayName(relay)}: ${words || failure}` };
}

// A notice has no address. Some greet with one; these words are about what was just asked.
function isRefusal(words: string): boolean {
  return /^(?:invalid|error|bad|restricted|blocked|unsupported|auth-required|rate-limited)\b/i.test(words);
}

function filtersOf({ post, pubkey, since }: Wanted): object[] {
  const own = { authors: [pubkey], kinds: [1], limit: maxNotes };
  const byKey = { ...own, '#d': [post.postKey] };
  const links = linksOf(post.url);
  if (links.length === 0) return [byKey];
  return [byKey, { ...own, '#r': links, since: Math.floor(since.getTime() / 1_000) }];
}

// Looked at again here: a relay may answer with anything.
function wantedNote(event: unknown, { post, pubkey, since }: Wanted): z.infer<typeof storedNote> | null {
  const note = storedNote.safeParse(event).data;
  if (note === undefined || note.pubkey !== pubkey || !verifyEvent({ ...note })) return null;
  const valuesOf = (name: string) =>
    note.tags.flatMap(([tag, value]) => (tag === name && value ? [value] : []));
  if (valuesOf('d').includes(post.postKey)) return note;
  const { url } = post;
  const isRecent = note.created_at * 1_000 >= since.getTime() - 1_000;
  return url !== null && isRecent && valuesOf('r').some(link => sameLink(link, url)) ? note : null;
}
