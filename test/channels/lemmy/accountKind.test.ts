import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lemmy } from '../../../src/channels/lemmy.ts';
import { examplePost } from '../../support/examplePost.ts';
import { type OpenLemmy, openLemmy, versions } from './openLemmy.ts';

let place: OpenLemmy;

afterEach(() => place.open.close());

describe.each(versions)('a session on Lemmy %s', version => {
  beforeEach(async () => {
    place = await openLemmy(version);
  });

  it('knows the API and the account', async () => {
    const session = await place.user.session();

    expect(session).toEqual({ api: version === '1.0' ? 'v4' : 'v3', jwt: 'jwt-of-headway-1', personId: 2 });
  });

  it('serves many posts', async () => {
    for (let count = 0; count < 5; count++) await place.user.publish(examplePost({ postKey: `${count}` }));

    expect(place.fake.posts()).toHaveLength(5);
    expect(place.fake.server.logIns).toBe(1);
  });

  it('is refused where its token is not taken any more', async () => {
    const composed = await place.user.compose(examplePost());
    place.fake.server.revokeTokens();

    const outcome = await place.user.send(composed);

    expect(outcome).toMatchObject({ kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false });
  });

  it.each([
    ['a wrong password', () => Object.assign(place.fake.world.me, { password: 'x' }), 'unauthorized', ''],
    ['an unknown name', () => Object.assign(place.fake.world.me, { name: 'x' }), 'unauthorized', ''],
    [
      'two-factor log-in',
      () => Object.assign(place.fake.server, { needsTotp: true }),
      'unauthorized',
      'two-factor',
    ],
    ['a ban', () => Object.assign(place.fake.world.me, { isBanned: true }), 'forbidden', 'ban'],
  ])('is not opened with %s', async (_name, change, code, words) => {
    change();

    const answer = await place.user.tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'blocked', scope: 'account', code, isGone: true });
    expect(answer).toMatchObject({ detail: expect.stringContaining(words) });
  });

  it.each([
    ['registration_application_is_pending', { kind: 'blocked', scope: 'account', isGone: false }],
    ['email_not_verified', { kind: 'blocked', scope: 'account', isGone: false }],
    ['registration_denied', { kind: 'blocked', scope: 'account', isGone: true }],
    ['deleted', { kind: 'blocked', scope: 'account', isGone: true }],
    ['rate_limit_error', { kind: 'throttled', scope: 'account' }],
    ['unknown', { kind: 'failed', isFinal: false, blames: 'channel' }],
  ])('is not opened by %s', async (error, expected) => {
    place.open.plan({
      when: 'before',
      behaviour: { kind: 'answer', status: 400, body: JSON.stringify({ error }) },
      on: ({ path }) => path.endsWith('/login'),
    });

    const answer = await place.user.tryToCompose(examplePost());

    expect(answer).toMatchObject(expected);
  });

  it('shows no password that a refusal quotes', async () => {
    place.open.plan({
      when: 'before',
      behaviour: ({ body }) => ({ kind: 'answer', status: 400, body }),
      on: ({ path }) => path.endsWith('/login'),
    });

    const answer = await place.user.tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'failed', detail: expect.stringContaining('[hidden]') });
  });

  it.each([
    [500, 'failed'],
    [502, 'failed'],
    [301, 'failed'],
    [429, 'throttled'],
  ])('takes a %i for no version at all', async (status, kind) => {
    place.open.plan({
      when: 'before',
      behaviour: { kind: 'answer', status, body: 'oops' },
      on: ({ path }) => path.startsWith('/api/v4/site'),
    });

    const answer = await place.user.tryToCompose(examplePost());

    expect(answer.kind).toBe(kind);
    expect(place.fake.server.logIns).toBe(0);
  });
});

it('is opened anew when the instance has another version by now', async () => {
  place = await openLemmy('0.19');
  await place.user.session();

  place.fake.becomes('1.0');
  const upgraded = await place.user.findExisting(examplePost());
  const newer = place.as({});
  await newer.session();
  place.fake.becomes('0.19');
  const downgraded = await newer.findExisting(examplePost());

  const refusal = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false };
  expect(upgraded).toMatchObject({ kind: 'incomplete', refusal });
  expect(downgraded).toMatchObject({ kind: 'incomplete', refusal });
});

describe('the account of a Lemmy instance', () => {
  beforeEach(async () => {
    place = await openLemmy('0.19');
  });

  it.each([
    [{ instance: 'lemmy.test', username: 'headway', password: 'x' }, 'instance'],
    [{ instance: 'https://lemmy.test', username: ' ', password: 'x' }, 'username'],
    [{ instance: 'https://lemmy.test', username: 'headway', password: '' }, 'password'],
    [{ instance: 'https://lemmy.test', username: 'headway' }, 'password'],
  ])('needs its keys: %o', (keys, wrong) => {
    const parsed = lemmy.account?.credentials.safeParse(keys);

    expect(parsed?.error?.issues.map(({ path }) => path[0])).toEqual([wrong]);
  });
});
