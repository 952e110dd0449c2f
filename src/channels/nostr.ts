import type { Channel } from './Channel.ts';
import { type NostrAccount, nostrAccount } from './nostr/account.ts';
import { checkRelay } from './nostr/checkRelay.ts';
import { combineOutcomes } from './nostr/combineOutcomes.ts';
import { composeNote, type SignedNote } from './nostr/composeNote.ts';
import { findNote } from './nostr/findNote.ts';
import { previewOf } from './nostr/note.ts';
import { noteUrl } from './nostr/noteUrl.ts';
import { sendNote } from './nostr/sendNote.ts';
import { type NostrSettings, nostrSettings } from './nostr/settings.ts';

/**
 * Short notes on Nostr (https://github.com/nostr-protocol/nips), signed here and sent to each relay. A note's id is
 * the hash of what it says, and relays drop what they know: a lost answer is mended by sending the same again.
 */
export const nostr: Channel<NostrSettings, SignedNote, NostrAccount> = {
  platform: 'nostr',
  needsAccount: true,
  account: nostrAccount,
  settings: nostrSettings,
  secretKeys: [],

  // Whoever reads notes reads the author's, wherever they lie: another list of relays is no other place.
  destination: (_settings, account) => ({ instance: '', target: account?.username ?? '' }),

  reconciliation: () => ({ kind: 'repeat' }),

  preview: (post, settings) => previewOf(post, settings),

  async check(settings, context) {
    const { username } = context.account.credentials;
    const findings = await Promise.all(settings.relays.map(relay => checkRelay(relay, settings, context)));
    return [{ subject: 'credentials', isOk: true, detail: `signs as ${username}` }, ...findings.flat()];
  },

  findExisting: findNote,

  compose: composeNote,

  async publish({ composed: note }, { relays, minRelays }, context) {
    const answers = await Promise.all(
      relays.map(async relay => ({ relay, outcome: await sendNote(note, relay, context) })),
    );
    const takers = answers.filter(({ outcome }) => outcome.kind === 'taken').map(({ relay }) => relay);
    if (takers.length < minRelays) return combineOutcomes(answers, minRelays);
    return { kind: 'succeeded', remoteId: note.id, remoteUrl: noteUrl(note, takers) };
  },
};
