import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examplePost } from '../../support/examplePost.ts';
import { jsonAnswer } from '../../support/protocolFake.ts';
import { type OpenBluesky, openBluesky } from './openBluesky.ts';

let open: OpenBluesky;

beforeEach(async () => {
  open = await openBluesky();
});

afterEach(() => open.server.close());

const digits = '234567abcdefghijklmnopqrstuvwxyz';

/** A TID of that instant. */
function keyAt(instant: string, place = 0): string {
  let rest = (BigInt(Date.parse(instant)) * 1_000n + BigInt(place)) << 10n;
  let key = '';
  for (let digit = 0; digit < 13; digit += 1, rest >>= 5n) key = digits.charAt(Number(rest % 32n)) + key;
  return key;
}

/** Posted by a person, or by another program. */
function posted(parts: Record<string, unknown>, { at = '2026-09-07T05:30:00.000Z', place = 0 } = {}): string {
  const record = { $type: 'app.bsky.feed.post', text: 'By hand', createdAt: at, ...parts };
  const put = open.fake.repository.put(keyAt(at, place), record, undefined);
  if ('error' in put) throw new Error(put.message);
  return put.key;
}

const cardOf = (uri: string) => ({
  embed: { $type: 'app.bsky.embed.external', external: { uri, title: '', description: '' } },
});
const linkTo = (uri: string) => ({
  facets: [
    { index: { byteStart: 0, byteEnd: 2 }, features: [{ $type: 'app.bsky.richtext.facet#link', uri }] },
  ],
});
const url = 'https://news.test/a/1?x=1';

describe('looking for what is there already', () => {
  it.each(['deactivated', 'takendown', 'deleted'] as const)(
    'wants another session, which tells more, of an account that is %s',
    async state => {
      const user = open.user();
      await user.session();
      open.fake.becomes(state);

      const answer = await user.findExisting(examplePost());

      const refusal = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false };
      expect(answer).toMatchObject({ kind: 'incomplete', refusal });
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ['on a card', cardOf(url)],
    ['in the text', linkTo(url)],
    ['with parameters that count readers', cardOf('https://news.test/a/1/?utm_source=bsky&x=1')],
    ['with http for https', linkTo('http://news.test/a/1?x=1')],
  ])('finds the link %s', async (_name, parts) => {
    posted({ text: 'Something newer' }, { at: '2026-09-07T06:30:00.000Z' });
    const key = posted(parts);

    const answer = await open.user().findExisting(examplePost());

    expect(answer).toEqual({
      kind: 'found',
      remoteId: `at://${open.fake.did}/app.bsky.feed.post/${key}`,
      remoteUrl: `https://bsky.app/profile/${open.fake.handle}/post/${key}`,
    });
  });

  it('finds the text of an article without a link', async () => {
    posted({ text: 'The queue makes headway, one article at a time.' });

    expect((await open.user().findExisting(examplePost({ url: null }))).kind).toBe('found');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['another link', cardOf('https://news.test/a/2?x=1'), '2026-09-07T05:30:00.000Z'],
    ['a post from before the window', cardOf(url), '2026-08-31T08:30:00.999Z'],
    [
      'a reply',
      { ...cardOf(url), reply: { root: { uri: 'at://x', cid: 'x' }, parent: { uri: 'at://x', cid: 'x' } } },
      '2026-09-07T05:30:00.000Z',
    ],
  ])('does not take %s for it', async (_name, parts, at) => {
    posted(parts, { at });

    expect(await open.user().findExisting(examplePost())).toEqual({ kind: 'not_found' });
  });

  it('counts a post at the very start of the window', async () => {
    posted(cardOf(url), { at: '2026-08-31T08:30:01.000Z' });

    expect((await open.user().findExisting(examplePost())).kind).toBe('found');
  });

  it('counts only what came after a person wished it once more', async () => {
    posted(cardOf(url), { at: '2026-09-07T05:30:00.000Z' });
    const find = (notBefore: string) =>
      open.user().findExisting(examplePost(), { notBefore: new Date(notBefore) });

    expect((await find('2026-09-07T05:30:00.001Z')).kind).toBe('not_found');
    expect((await find('2026-09-07T05:30:00.000Z')).kind).toBe('found');
  });

  it('finds a post whose key is older than the window: its article had waited', async () => {
    const at = '2026-08-26T08:30:00.000Z';
    posted({ ...cardOf(url), createdAt: '2026-09-01T08:30:00.000Z' }, { at });

    expect((await open.user().findExisting(examplePost())).kind).toBe('found');
  });

  it('reads page after page, and stops where all are older', async () => {
    for (let place = 0; place < 150; place += 1) posted({}, { at: '2026-09-05T05:30:00.000Z', place });
    for (let place = 0; place < 300; place += 1) posted({}, { at: '2026-08-01T05:30:00.000Z', place });
    posted(cardOf(url), { at: '2026-07-01T05:30:00.000Z' });

    const answer = await open.user().findExisting(examplePost());

    expect(answer).toEqual({ kind: 'not_found' });
    expect(pagesRead()).toBe(2);
  });

  it('proves nothing when there are more posts than it reads, and says what to set', async () => {
    for (let place = 0; place < 5_001; place += 1) posted({}, { place });

    const answer = await open.user().findExisting(examplePost());

    expect(answer).toMatchObject({ kind: 'incomplete', detail: expect.stringContaining('duplicates') });
    expect(pagesRead()).toBe(50);
  });

  it('asks nothing when it is off', async () => {
    posted(cardOf(url));

    const answer = await open.user({ duplicates: 'off' }).findExisting(examplePost());

    expect(answer).toEqual({ kind: 'not_found' });
    expect(pagesRead()).toBe(0);
  });

  it.each<[string, ReturnType<typeof jsonAnswer>, Record<string, unknown> | undefined]>([
    ['fails', jsonAnswer(500, 'oops'), undefined],
    ['is garbage', jsonAnswer(200, {}), undefined],
    ['is refused', jsonAnswer(429, {}), { kind: 'throttled', scope: 'account', code: 'rate_limited' }],
  ])('proves nothing by a list that %s', async (_name, behaviour, refusal) => {
    open.server.plan({ when: 'before', behaviour, on: ({ path }) => path.includes('listRecords') });

    const answer = await open.user().findExisting(examplePost());

    expect(answer).toMatchObject({ kind: 'incomplete', ...(refusal && { refusal }) });
    expect('refusal' in answer).toBe(refusal !== undefined);
  });
});

function pagesRead(): number {
  return open.server.receiver.requests.filter(({ path }) => path.includes('listRecords')).length;
}
