import { describe, expect, it } from 'vitest';
import { mastodonAccount } from '../../../src/channels/mastodon/account.ts';
import { composeStatus } from '../../../src/channels/mastodon/composeStatus.ts';
import { settings } from '../../../src/channels/mastodon/settings.ts';
import { examplePost } from '../../support/examplePost.ts';
import { type OpenMastodon, openMastodon } from './openMastodon.ts';

const later = new Date('2026-09-07T08:35:00Z');

const unused = () => Promise.reject(new Error('nothing is sent'));

/** Composes as `user.compose` does, at another time. */
async function compose(
  { user, account }: OpenMastodon,
  { post = examplePost({ imageUrl: null }), keys = {}, accountId = '', composedAt = later },
) {
  const session = mastodonAccount.session.parse(await user.session());
  const answer = await composeStatus(post, settings.parse(keys), {
    account: {
      credentials: mastodonAccount.credentials.parse(account),
      session: accountId === '' ? session : { ...session, accountId },
    },
    composedAt,
    fetchImage: async () => ({ kind: 'unavailable', detail: 'none' }),
    send: unused,
    exchangeMessage: unused,
    signal: new AbortController().signal,
  });
  if (answer.kind !== 'composed') throw new Error(JSON.stringify(answer));
  return { ...post, composed: answer.composed };
}

const keyOf = async (place: OpenMastodon, changes: Parameters<typeof compose>[1] = {}) =>
  (await compose(place, changes)).composed.idempotencyKey;

describe("mastodon's idempotency key", () => {
  it('is the same for all attempts of one publication', async () => {
    const place = await openMastodon();

    const first = await keyOf(place, { composedAt: later });
    const second = await keyOf(place, { composedAt: new Date(later.getTime() + 300_000) });

    expect(second).toBe(first);
  });

  it('is another for another post, text, warning, visibility or account', async () => {
    const place = await openMastodon();
    const post = (changes: object) => ({ post: examplePost({ imageUrl: null, ...changes }) });

    const keys = await Promise.all([
      keyOf(place),
      keyOf(place, post({ postKey: '7b1f0f3e-1111-4a4a-8b8b-1c2f3e4d5b6a' })),
      keyOf(place, post({ text: 'Edited' })),
      keyOf(place, { keys: { contentWarning: 'News' } }),
      keyOf(place, { keys: { visibility: 'private' } }),
      keyOf(place, { accountId: '2' }),
    ]);

    expect(new Set(keys).size).toBe(6);
  });

  it('makes one post of an attempt that comes late after another, on Mastodon', async () => {
    const place = await openMastodon();

    await place.user.send(await compose(place, { composedAt: later }));
    const second = await place.user.send(
      await compose(place, { composedAt: new Date(later.getTime() + 300_000) }),
    );

    expect(second.kind).toBe('succeeded');
    expect(place.fake.posts()).toHaveLength(1);
  });

  it('is another for each attempt on Pleroma, which repeats its refusals', async () => {
    const place = await openMastodon({ flavour: 'pleroma' });
    place.fake.refusal = { status: 422, error: 'Try again' };

    const refused = await place.user.send(await compose(place, { composedAt: later }));
    place.fake.refusal = null;
    const again = await place.user.send(
      await compose(place, { composedAt: new Date(later.getTime() + 300_000) }),
    );

    expect(refused).toMatchObject({ kind: 'failed', isFinal: false });
    expect(again.kind).toBe('succeeded');
  });
});
