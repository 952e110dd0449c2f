import { EventUtils } from '@nostr-relay/common';
import { npubEncode, nsecEncode } from 'nostr-tools/nip19';
import { finalizeEvent, getPublicKey } from 'nostr-tools/pure';
import { expect } from 'vitest';
import { nostr } from '../../../src/channels/nostr.ts';
import { type Relay, startNostrRelay } from '../../servers/support/startNostrRelay.ts';
import type { ChannelHarness, ExpectedOutcome, OpenDestination } from '../describeChannel.ts';

export const nostrKey = Uint8Array.from({ length: 32 }, (_, index) => index + 1);

export const nostrAccount = {
  username: npubEncode(getPublicKey(nostrKey)),
  privateKey: nsecEncode(nostrKey),
};
export const nostrSecrets: readonly string[] = [
  nostrAccount.privateKey,
  Buffer.from(nostrKey).toString('hex'),
];

// The first signature takes a while, in which a relay would seem not to answer.
const warmUp = { kind: 1, created_at: 0, tags: [], content: '' };
EventUtils.validate(finalizeEvent(warmUp, nostrKey));

// Real relays, in this process.
const relays = new WeakMap<OpenDestination, Relay>();

export const nostrHarness: ChannelHarness = {
  channel: nostr,
  reconciliation: 'repeat',
  secrets: nostrSecrets,
  async open() {
    const relay = await startNostrRelay();
    const destination: OpenDestination = {
      settings: { relays: [relay.url] },
      account: nostrAccount,
      posts: async () => relay.events().map(({ id }) => id),
      close: relay.stop,
    };
    relays.set(destination, relay);
    return destination;
  },
  refusals: [
    refusal('rate-limited: slow down', {
      kind: 'throttled',
      scope: 'channel',
      code: 'rate_limited',
      until: null,
    }),
    refusal('blocked: not here', { kind: 'blocked', scope: 'channel', code: 'forbidden', isGone: false }),
    refusal('restricted: members only', {
      kind: 'blocked',
      scope: 'channel',
      code: 'forbidden',
      isGone: false,
    }),
    refusal('auth-required: who are you?', {
      kind: 'blocked',
      scope: 'channel',
      code: 'unauthorized',
      isGone: false,
    }),
    refusal('pow: 28 bits needed', { kind: 'blocked', scope: 'channel', code: 'forbidden', isGone: false }),
    refusal('invalid: too many tags', { kind: 'failed', code: 'rejected', blames: 'article', isFinal: true }),
    refusal('invalid: created_at is too late', {
      kind: 'failed',
      code: 'rejected',
      blames: 'channel',
      isFinal: false,
    }),
    refusal('error: disk full', { kind: 'failed', code: 'server_error', blames: 'channel', isFinal: false }),
    refusal('no', { kind: 'failed', code: 'rejected', blames: 'channel', isFinal: false }),
  ],
  // It speaks no HTTP: test/channels/nostr.test.ts has the phases of a lost answer.
  network: null,
};

function refusal(words: string, expected: ExpectedOutcome) {
  return {
    name: words,
    async arrange(destination: OpenDestination) {
      const relay = relays.get(destination);
      relay?.refuse(words);
      return async () => relay?.accept();
    },
    expected: { ...expected, detail: expect.stringContaining(words) },
  };
}
