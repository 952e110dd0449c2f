import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examplePost } from '../../support/examplePost.ts';
import type { Behaviour, ReceivedRequest } from '../../support/fakeReceiver.ts';
import { lostAnswer } from '../../support/protocolFake.ts';
import { sendingAt } from '../openChannel.ts';
import { type OpenLemmy, openLemmy, versions } from './openLemmy.ts';

let place: OpenLemmy;

const url = 'https://news.test/a?utm_source=feed';
const stored = 'https://news.test/a';
const since = (ms: number) => new Date(sendingAt.getTime() + ms);
const mine = { creatorId: 2 };

afterEach(() => place.open.close());

describe.each(versions)('a lost answer on Lemmy %s', version => {
  beforeEach(async () => {
    place = await openLemmy(version);
  });

  async function lookUp(article = examplePost({ url })) {
    return place.user.lookUp(await place.user.compose(article));
  }

  it.each(['reset', 'never_answer', 'garbage'] as const)('is found after a %s', async kind => {
    const composed = await place.user.compose(examplePost({ url }));
    place.open.plan(lostAnswer(kind));
    const outcome = await place.user.send(composed);

    const answer = await place.user.lookUp(composed);

    expect(outcome.kind).toBe('unknown');
    expect(answer).toMatchObject({
      kind: 'found',
      remoteId: '101',
      remoteUrl: 'https://lemmy.test/post/101',
    });
    expect(place.fake.posts()).toHaveLength(1);
  });

  it.each([
    ['of two minutes before', { ...mine, url: stored, publishedAt: since(-120_000) }, 'found'],
    ['of more than that', { ...mine, url: stored, publishedAt: since(-120_001) }, 'not_found'],
    ['of somebody else', { url: stored }, 'not_found'],
    ['in another community', { ...mine, url: stored, communityId: 11 }, 'not_found'],
    ['with another link', { ...mine, url: 'https://news.test/b' }, 'not_found'],
    ['that it has read', { ...mine, url: stored, readBy: new Set([2]) }, 'found'],
    ['that it has deleted', { ...mine, url: stored, isDeleted: true }, 'found'],
    ['that a moderator has removed', { ...mine, url: stored, removedAt: since(60_000) }, 'found'],
    [
      'that a moderator has removed, posted long before',
      { ...mine, url: stored, publishedAt: since(-9_000_000), removedAt: since(60_000) },
      'not_found',
    ],
  ])('with a post %s', async (_name, post, kind) => {
    place.fake.world.settings.showRead = false;
    place.fake.world.add(post);

    const answer = await lookUp();

    expect(answer.kind).toBe(kind);
  });

  it('is known by its title where the article has no link', async () => {
    const article = examplePost({ url: null, text: 'A title' });
    const before = await lookUp(article);
    place.fake.world.add({ ...mine, name: 'A title', url: stored });
    const withLink = await lookUp(article);
    place.fake.world.add({ ...mine, name: 'A title' });

    const after = await lookUp(article);

    expect([before.kind, withLink.kind, after.kind]).toEqual(['not_found', 'not_found', 'found']);
  });

  it.each([
    [-600_000, 'found'],
    [-780_000, 'not_found'],
  ])('is searched for by a clock that is ten minutes behind, as its answers say: %i ms', async (ms, kind) => {
    place.fake.world.add({ ...mine, url: stored, publishedAt: since(ms) });
    const composed = await place.user.compose(examplePost({ url }));
    const dated = (request: ReceivedRequest): Behaviour => {
      const answer = place.fake.answer(request);
      if (answer.kind !== 'answer') return answer;
      return { ...answer, headers: { ...answer.headers, Date: since(-600_000).toUTCString() } };
    };
    place.open.plan({ when: 'before', behaviour: dated, on: ({ method }) => method === 'GET' });

    expect((await place.user.lookUp(composed)).kind).toBe(kind);
  });

  // ClearURLs knows far more than we do: `source` on Medium, the address in one of Google Alerts.
  it('is known by its title where the instance has made another link of it', async () => {
    const medium = 'https://medium.test/@ada/a-title-1?source=rss-1---2';
    const article = examplePost({ url: medium, text: `A title ${medium}` });
    place.fake.world.add({ ...mine, name: 'A title' });
    place.fake.world.add({ ...mine, name: 'A title', url: stored, publishedAt: since(-120_001) });
    const before = await lookUp(article);
    place.fake.world.add({ ...mine, name: 'A title', url: 'https://medium.test/@ada/a-title-1' });

    const after = await lookUp(article);

    expect([before.kind, after.kind]).toEqual(['not_found', 'found']);
  });

  it('is looked for on every page', async () => {
    place.fake.world.add({ ...mine, url: stored, publishedAt: since(1) });
    for (let count = 0; count < 120; count++) place.fake.world.add({ ...mine, publishedAt: since(2) });

    const answer = await lookUp();

    expect(answer.kind).toBe('found');
  });

  it('stays unknown where there are too many pages', async () => {
    for (let count = 0; count < 501; count++) place.fake.world.add({ ...mine, publishedAt: since(2) });

    const answer = await lookUp();

    expect(answer.kind).toBe('incomplete');
  });

  it('stays unknown with a token that is ignored', async () => {
    const composed = await place.user.compose(examplePost({ url }));
    place.fake.server.revokeTokens();

    const answer = await place.user.lookUp(composed);

    const refusal = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false };
    expect(answer).toMatchObject({ kind: 'incomplete', refusal });
  });

  it('stays unknown while the account hides bots', async () => {
    const composed = await place.user.compose(examplePost({ url }));
    await place.user.send(composed);
    place.fake.world.settings.showBots = false;

    const answer = await place.user.lookUp(composed);

    expect(answer).toMatchObject({
      kind: 'incomplete',
      detail: expect.stringContaining('Show bot accounts'),
    });
  });

  it('stays unknown where the account is banned by now, or the community gone', async () => {
    const composed = await place.user.compose(examplePost({ url }));
    place.fake.world.news.bannedIds.push(2);
    const banned = await place.user.lookUp(composed);
    place.fake.world.news.bannedIds = [];
    place.fake.world.news.isRemoved = true;

    const gone = await place.user.lookUp(composed);

    expect([banned.kind, gone.kind]).toEqual(['incomplete', 'incomplete']);
  });

  it('stays unknown while the log of the moderators cannot be read', async () => {
    const composed = await place.user.compose(examplePost({ url }));
    place.open.plan({
      when: 'before',
      behaviour: { kind: 'answer', status: 500, body: 'oops' },
      on: ({ path }) => path.includes('/modlog'),
    });

    const answer = await place.user.lookUp(composed);

    expect(answer).toEqual({ kind: 'incomplete', detail: 'HTTP 500: oops' });
  });
});
