import { beforeEach, describe, expect, it } from 'vitest';
import type { FlavourTraits } from '../../fakes/mastodon/flavours.ts';
import type { StoredStatus } from '../../fakes/mastodon.ts';
import { examplePost } from '../../support/examplePost.ts';
import type { Behaviour, ReceivedRequest } from '../../support/fakeReceiver.ts';
import { sendingAt } from '../openChannel.ts';
import { type OpenMastodon, openMastodon } from './openMastodon.ts';

const url = 'https://www.example.com/a/1?x=1';
const minutesAgo = (minutes: number) => new Date(sendingAt.getTime() - minutes * 60_000);
const isList = ({ method, path }: ReceivedRequest) => method === 'GET' && path.includes('/statuses');

/** One status a second, the newest now. */
function addMany({ fake }: OpenMastodon, count: number, changes: Partial<StoredStatus> = {}): void {
  for (let number = count - 1; number >= 0; number -= 1)
    fake.add({
      text: `Another ${number}`,
      createdAt: new Date(sendingAt.getTime() - number * 1_000),
      ...changes,
    });
}

describe("mastodon's search for what it has posted", () => {
  let place: OpenMastodon;

  beforeEach(async () => {
    place = await openMastodon();
  });

  const lookUp = async (post = examplePost({ url }), { user } = place) =>
    user.lookUp(await user.compose(post));

  it.each<[string, Partial<StoredStatus>]>([
    ['a link', { text: `Read ${url}` }],
    ['a link that is followed', { text: 'Read https://www.example.com/a/1/?utm_source=x&x=1#top' }],
    ['a link by another scheme', { text: 'Read http://www.example.com/a/1?x=1' }],
    ['a long link, shown in parts', { text: `Read ${url}&utm_campaign=${'a'.repeat(80)}` }],
    ['what the server found behind its link', { text: 'Read https://short.example.com/1', cardUrl: url }],
    ['a clock that is two minutes behind', { text: url, createdAt: minutesAgo(2) }],
  ])('finds a status by %s', async (_name, status) => {
    place.fake.add(status);

    const answer = await lookUp();

    const [id] = place.fake.posts();
    expect(answer).toEqual({ kind: 'found', remoteId: id, remoteUrl: `${place.open.url}/@bot/${id}` });
  });

  it.each<[string, Partial<StoredStatus>]>([
    ['another link', { text: 'https://www.example.com/a/10?x=1' }],
    ['a boost', { text: url, isBoost: true }],
    ['a reply', { text: url, inReplyToId: '7' }],
    ['what is older', { text: url, createdAt: new Date(minutesAgo(2).getTime() - 1) }],
  ])('does not take %s for it', async (_name, status) => {
    place.fake.add(status);

    expect(await lookUp()).toEqual({ kind: 'not_found' });
  });

  it.each([
    [10, 'found'],
    [13, 'not_found'],
  ])(
    'knows by the Date of its answers that its clock is ten minutes behind: %i minutes',
    async (age, kind) => {
      place.fake.add({ text: url, createdAt: minutesAgo(age) });
      const composed = await place.user.compose(examplePost({ url }));
      const dated = (request: ReceivedRequest): Behaviour => {
        const answer = place.fake.answer(request);
        if (answer.kind !== 'answer') return answer;
        return { ...answer, headers: { ...answer.headers, Date: minutesAgo(10).toUTCString() } };
      };
      place.open.plan({ when: 'before', behaviour: dated, on: ({ method }) => method === 'GET' });

      expect((await place.user.lookUp(composed)).kind).toBe(kind);
    },
  );

  it('passes over boosts that a server shows all the same', async () => {
    place.fake.add({ text: url, isBoost: true });
    const behaviour = ({ path, ...request }: ReceivedRequest) =>
      place.fake.answer({ ...request, path: path.replace('exclude_reblogs=true', '') });
    place.open.plan({ when: 'before', behaviour, on: isList });

    expect(await lookUp()).toEqual({ kind: 'not_found' });
  });

  it('finds a link that the server does not make one of', async () => {
    const content = '<p>Read<br>https:&#x2F;&#x2F;www.example.com/a/1?x=1 <b>now</b></p>';
    const body = JSON.stringify([
      { id: 7, created_at: sendingAt.toISOString(), content, url: null, uri: 'u' },
    ]);
    const composed = await place.user.compose(examplePost({ url }));
    place.open.plan({ when: 'before', behaviour: { kind: 'answer', status: 200, body }, on: isList });

    expect(await place.user.lookUp(composed)).toEqual({ kind: 'found', remoteId: '7', remoteUrl: 'u' });
  });

  it.each(['https://www.example.com/Jeopardy!', 'https://www.example.com/R.E.M.'])(
    'finds %s, of which the server takes the end for the end of a sentence',
    async ending => {
      const shown = ending.replace(/.$/, '');
      const content = `<p>Read</p><p><a href="${shown}"><span>https://</span>${shown.slice(8)}</a>${ending.at(-1)}</p>`;
      const body = JSON.stringify([{ id: 7, created_at: sendingAt.toISOString(), content, uri: 'u' }]);
      const composed = await place.user.compose(examplePost({ url: ending }));
      place.open.plan({ when: 'before', behaviour: { kind: 'answer', status: 200, body }, on: isList });

      expect(await place.user.lookUp(composed)).toMatchObject({ kind: 'found' });
    },
  );

  it.each([
    [
      'as it is',
      'The queue moves. It *does*, @bot@social.example!',
      '<p>The queue moves. It *does*, @bot@social.example!</p>',
    ],
    ['with its Markdown read', 'The queue moves. It *does*!', 'The queue moves.<br>It <i>does</i>!'],
    [
      'with its mentions shortened',
      'Ask @bot@social.example & others',
      '<p>Ask <span><a href="https://social.example/@bot">@<span>bot</span></a></span> &amp; others</p>',
    ],
    [
      'with what snac makes of it',
      '<b>1</b> < 2 <3 :shrug: [there](https://a.example/b)',
      '<b>1</b> < 2 &#10084;&#65039; 🤷 <a href="https://a.example/b">there</a><br>',
    ],
    ['of marks alone', '🐘 🐘', '<p>🐘 🐘</p>'],
  ])('finds a post without a link by its text, %s', async (_name, text, content) => {
    const composed = await place.user.compose(examplePost({ url: null, text }));
    const listed = (shown: string) =>
      JSON.stringify([{ id: '7', created_at: sendingAt.toISOString(), content: shown, url: 'u' }]);
    const answerWith = (body: string) =>
      place.open.plan({
        when: 'before',
        behaviour: { kind: 'answer', status: 200, body },
        on: isList,
        times: 1,
      });

    answerWith(listed(content));
    const found = await place.user.lookUp(composed);
    answerWith(listed(`${content} More 🐘`));
    const other = await place.user.lookUp(composed);

    expect(found.kind).toBe('found');
    expect(other.kind).toBe('not_found');
  });

  it('asks no further than it must', async () => {
    addMany(place, 100, { createdAt: minutesAgo(10) });

    const answer = await lookUp();

    expect(answer).toEqual({ kind: 'not_found' });
    expect(place.asked('GET /api/v1/accounts/109348273/statuses')).toHaveLength(1);
  });

  it('turns pages until what is older', async () => {
    place.fake.add({ text: url });
    addMany(place, 90);

    const answer = await lookUp();

    expect(answer).toMatchObject({ kind: 'found', remoteId: place.fake.posts()[0] });
    expect(place.asked('GET /api/v1/accounts/109348273/statuses')).toHaveLength(3);
  });

  it.each([
    ['gives no Link', { linkHeader: false }],
    ['has shorter pages than it is asked for', { longestPage: 20 }],
  ])('turns the pages of a server that %s', async (_name, traits) => {
    place = await openMastodon({ traits });
    place.fake.add({ text: url });
    addMany(place, 90);

    expect(await lookUp()).toMatchObject({ kind: 'found' });
  });

  it('is not ended by an old status that is pinned to the top', async () => {
    addMany(place, 1);
    place.fake.add({ text: url });
    place.fake.add({ text: 'Pinned', createdAt: minutesAgo(100_000) });

    expect(await lookUp()).toMatchObject({ kind: 'found' });
  });

  it('is complete with an account that has posted nothing', async () => {
    expect(await lookUp()).toEqual({ kind: 'not_found' });
  });

  it.each<[string, number, 'mastodon' | 'snac', Partial<FlavourTraits>, string]>([
    ['a few posts', 19, 'mastodon', { turnsPages: false, longestPage: 20 }, 'not_found'],
    ['a page full of posts', 20, 'mastodon', { turnsPages: false, longestPage: 20 }, 'incomplete'],
    ['fewer posts than snac shows', 100, 'snac', {}, 'not_found'],
    ['as many posts as snac shows', 256, 'snac', {}, 'incomplete'],
  ])(
    'proves of a server that turns no pages, by %s, what it can',
    async (_name, count, flavour, traits, kind) => {
      place = await openMastodon({ flavour, traits });
      addMany(place, count, { createdAt: sendingAt });

      expect(await lookUp()).toMatchObject({ kind });
    },
  );

  it('proves nothing of what snac does not list', async () => {
    const settings = { visibility: 'private' };
    place = await openMastodon({ flavour: 'snac', settings });
    const composed = await place.user.compose(examplePost({ url }));
    await place.user.send(composed);

    const answer = await place.user.lookUp(composed);

    expect(answer).toMatchObject({ kind: 'incomplete', detail: expect.stringContaining('duplicates') });
  });

  it('finds followers-only posts elsewhere', async () => {
    place = await openMastodon({ flavour: 'gotosocial', settings: { visibility: 'private' } });
    const composed = await place.user.compose(examplePost({ url }));
    await place.user.send(composed);

    expect(await place.user.lookUp(composed)).toMatchObject({ kind: 'found' });
  });

  it('gives up a search without an end', async () => {
    addMany(place, 1_601, { createdAt: sendingAt });

    const answer = await lookUp();

    expect(answer).toMatchObject({
      kind: 'incomplete',
      detail: expect.stringContaining('more than 1600 posts'),
    });
  });

  // Without the proof of its token it would be shown the public part of the list, and find nothing there.
  it.each(['mastodon', 'pleroma', 'gotosocial', 'snac', 'friendica'] as const)(
    'proves nothing on %s once its token is revoked',
    async flavour => {
      place = await openMastodon({ flavour });
      const composed = await place.user.compose(examplePost({ url }));
      place.fake.token = 'another';

      const answer = await place.user.lookUp(composed);

      expect(answer).toMatchObject({
        kind: 'incomplete',
        refusal: { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false },
      });
    },
  );

  it('proves nothing with the token of another account than the session was opened for', async () => {
    const session = { ...Object(await place.user.session()), accountId: '2' };
    const composed = await place.user.compose(examplePost({ url }));

    const answer = await place.use({}, { session }).lookUp(composed);

    expect(answer).toMatchObject({ kind: 'incomplete', refusal: { scope: 'account', code: 'unauthorized' } });
  });

  it.each<[string, number, string, Record<string, string>, object]>([
    [
      'it lacks a scope',
      403,
      '{"error":"This action is outside the authorized scopes"}',
      {},
      { code: 'forbidden' },
    ],
    [
      'it asks too often',
      429,
      '',
      { 'Retry-After': '60' },
      { kind: 'throttled', until: new Date('2026-09-07T08:31:01Z') },
    ],
  ])('proves nothing and says why when %s', async (_name, status, body, headers, refusal) => {
    const composed = await place.user.compose(examplePost({ url }));
    place.open.plan({ when: 'before', behaviour: { kind: 'answer', status, body, headers }, on: isList });

    expect(await place.user.lookUp(composed)).toMatchObject({ kind: 'incomplete', refusal });
  });

  it.each([
    ['of statuses without a date', '[{"id":"1","content":""}]'],
    ['that is no list', '{"error":"oops"}'],
    ['that is cut off', '[{"id":"1",'],
  ])('proves nothing by a list %s', async (_name, body) => {
    const composed = await place.user.compose(examplePost({ url }));
    place.open.plan({ when: 'before', behaviour: { kind: 'answer', status: 200, body }, on: isList });

    const answer = await place.user.lookUp(composed);

    expect(answer.kind).toBe('incomplete');
    expect(answer).not.toHaveProperty('refusal');
  });
});

describe("mastodon's search for what is there already", () => {
  it('finds what the account posted within the window, by whatever means', async () => {
    const { fake, user } = await openMastodon({ settings: { duplicates: '2d' } });
    fake.add({ text: `By hand: ${url}`, createdAt: minutesAgo(2 * 24 * 60) });

    expect(await user.findExisting(examplePost({ url }))).toMatchObject({ kind: 'found' });
  });

  it('passes over what is older than the window', async () => {
    const { fake, use } = await openMastodon();
    fake.add({ text: url, createdAt: minutesAgo(7 * 24 * 60 + 1) });

    expect(await use().findExisting(examplePost({ url }))).toEqual({ kind: 'not_found' });
    expect(await use({ duplicates: '8d' }).findExisting(examplePost({ url }))).toMatchObject({
      kind: 'found',
    });
  });

  it('passes over what was posted before it is wished once more', async () => {
    const { fake, user } = await openMastodon();
    fake.add({ text: url, createdAt: minutesAgo(60) });

    const answer = await user.findExisting(examplePost({ url }), { notBefore: minutesAgo(59) });

    expect(answer).toEqual({ kind: 'not_found' });
  });

  it('finds a post without a link by its text', async () => {
    const { user } = await openMastodon();
    const post = examplePost({ url: null, text: 'word '.repeat(200) });
    await user.publish(post);

    expect(await user.findExisting(post)).toMatchObject({ kind: 'found' });
  });

  it('asks nothing when it is off', async () => {
    const { user, open } = await openMastodon({ settings: { duplicates: 'off' } });
    await user.session();
    const before = open.receiver.requests.length;

    expect(await user.findExisting(examplePost({ url }))).toEqual({ kind: 'not_found' });
    expect(open.receiver.requests).toHaveLength(before);
  });

  it('is incomplete when it fails, so that nothing is posted blind', async () => {
    const { user, open } = await openMastodon();
    await user.session();
    open.plan({ when: 'before', behaviour: { kind: 'answer', status: 500 }, on: isList });

    expect(await user.findExisting(examplePost({ url }))).toMatchObject({
      kind: 'incomplete',
      detail: 'HTTP 500',
    });
  });
});
