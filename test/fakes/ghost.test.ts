import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendingAt } from '../channels/openChannel.ts';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { matchesFilter } from './ghost/filter.ts';
import { ghostAdminKey } from './ghost/token.ts';
import { type FakeGhost, fakeGhost } from './ghost.ts';

// What is stated here was seen on Ghost 5.130.6, request by request. The token is made as in Ghost's own guide.
let site: FakeGhost;
let open: OpenFake;

beforeEach(async () => {
  site = fakeGhost();
  open = await openProtocolFake(site);
});
afterEach(() => open.close());

const at = Math.floor(sendingAt.getTime() / 1_000);
const [keyId = '', keySecret = ''] = ghostAdminKey.split(':');

function tokenOf({ kid = keyId, secret = keySecret, iat = at, exp = at + 300, aud = '/admin/' } = {}) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT', kid })}.${part({ iat, exp, aud })}`;
  return `${signed}.${createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64url')}`;
}

async function ask(
  method: string,
  path: string,
  { json, token = tokenOf() }: { json?: unknown; token?: string } = {},
) {
  const answer = await fetch(`${open.url}/ghost/api/admin${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `Ghost ${token}`, 'content-type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  return { status: answer.status, said: Object(text === '' ? null : JSON.parse(text)) };
}

const post = (sent: unknown) => ask('POST', '/posts/?source=html', { json: { posts: [sent] } });

describe('the fake Ghost', () => {
  it('stores the same post twice, under another slug, and ignores ids and unknown fields', async () => {
    const sent = { id: 'a'.repeat(24), uuid: 'x', title: 'A', slug: 'a', status: 'published', unheard: 1 };

    const first = await post(sent);
    const second = await post(sent);

    expect([first.status, second.status]).toEqual([201, 201]);
    expect([first, second].map(({ said }) => said.posts[0].slug)).toEqual(['a', 'a-2']);
    expect(first.said.posts[0].id).not.toBe(sent.id);
  });

  it.each([
    ['an unknown key', { kid: 'b'.repeat(24) }, 401, 'UNKNOWN_ADMIN_API_KEY', 'Unknown Admin API Key'],
    ['a wrong secret', { secret: 'ab'.repeat(32) }, 401, 'INVALID_JWT', 'Invalid token: invalid signature'],
    ['a token that is over', { exp: at }, 401, 'INVALID_JWT', 'Invalid token: jwt expired'],
    ['an old token', { iat: at - 300 }, 401, 'INVALID_JWT', 'Invalid token: maxAge exceeded'],
    ['a token for something else', { aud: '/x/' }, 401, 'INVALID_JWT', 'Invalid token: jwt audience invalid'],
  ])('refuses %s', async (_name, token, status, code, message) => {
    const answer = await ask('GET', '/posts/', { token: tokenOf(token) });

    expect(answer).toMatchObject({ status, said: { errors: [{ code, message }] } });
  });

  it.each([
    ['a title of 256', { title: 'x'.repeat(256) }],
    ['an excerpt of 301', { title: 'x', custom_excerpt: '🦊'.repeat(301) }],
    ['an alternative text of 192', { title: 'x', feature_image_alt: 'x'.repeat(192) }],
    ['a tag of 192', { title: 'x', tags: ['x'.repeat(192)] }],
    ['no title', { slug: 'x' }],
    ['a status that does not exist', { title: 'x', status: 'nope' }],
    ['scheduled without a time', { title: 'x', status: 'scheduled' }],
  ])('refuses %s with 422', async (_name, sent) => {
    const answer = await post(sent);

    expect(answer).toMatchObject({ status: 422, said: { errors: [{ type: 'ValidationError' }] } });
    expect(site.stored).toEqual([]);
  });

  it('takes 255 characters beyond the basic plane', async () => {
    expect(await post({ title: '🦊'.repeat(255) })).toMatchObject({ status: 201 });
  });

  it('says who it is to anybody', async () => {
    expect(await ask('GET', '/site/', { token: 'x' })).toMatchObject({ status: 200 });
  });

  it('redirects what has no slash at its end', async () => {
    expect(await ask('GET', '/posts')).toMatchObject({ status: 301 });
  });

  it('compares a canonical URL letter by letter, in whatever state', async () => {
    site.write({ canonical_url: 'https://news.test/a', status: 'draft' });
    const find = (url: string) =>
      ask('GET', `/posts/?filter=${encodeURIComponent(`canonical_url:'${url}'`)}`);

    expect((await find('https://news.test/a')).said.posts).toHaveLength(1);
    expect((await find('https://news.test/a/')).said.posts).toEqual([]);
  });

  it('makes a wrong address of a draft that is asked for without its uuid', async () => {
    const { uuid } = site.write({ status: 'draft' });

    const with_ = await ask('GET', '/posts/?fields=id,uuid,url');
    const without = await ask('GET', '/posts/?fields=id,url');

    expect(with_.said.posts[0].url).toBe(`${open.url}/p/${uuid}/`);
    expect(without.said.posts[0].url).toBe(`${open.url}/p/`);
  });
});

describe("the fake Ghost's filter", () => {
  const stored = { slug: 'a-b', canonical_url: "https://news.test/it's?x=1,2" };

  it.each([
    ["slug:'a-b'", true],
    ["slug:'a'", false],
    ["slug:'x',canonical_url:['https://x.test','https://news.test/it\\'s?x=1,2']", true],
    ["canonical_url:['https://x.test']", false],
  ])('reads %s', (filter, matches) => {
    expect(matchesFilter(filter, stored)).toBe(matches);
  });

  it.each(["slug:a'b", "slug:'a'b'", 'slug'])('refuses %s', filter => {
    expect(() => matchesFilter(filter, stored)).toThrow('not a filter');
  });
});
