import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';

/** A site that may have posts already. */
export type GhostWorld = {
  url: string;
  /** `id:secret`. */
  adminApiKey: string;
  /** What its clock says. */
  now(): Date;
};

type TokenParts = { kid?: string; secret?: string; ageSeconds?: number; aud?: string; lastsSeconds?: number };

let facts = 0;

/**
 * What the channel and its fake take for granted about Ghost. It is asked of the fake at every run and of a real one
 * by `npm run test:servers`: where the two part, one of them is wrong.
 */
export function describeGhost(name: string, open: () => Promise<GhostWorld>): void {
  describe(name, () => {
    let world: GhostWorld;

    beforeEach(async () => {
      world = await open();
    });

    // As in Ghost's own guide.
    function tokenOf({ ageSeconds = 0, lastsSeconds = 300, aud = '/admin/', ...key }: TokenParts = {}) {
      const [id = '', adminSecret = ''] = world.adminApiKey.split(':');
      const { kid = id, secret = adminSecret } = key;
      const iat = Math.floor(world.now().getTime() / 1_000) - ageSeconds;
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const signed = `${part({ alg: 'HS256', typ: 'JWT', kid })}.${part({ iat, exp: iat + lastsSeconds, aud })}`;
      const signature = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed);
      return `${signed}.${signature.digest('base64url')}`;
    }

    async function ask(
      method: string,
      path: string,
      { json, token = tokenOf() }: { json?: unknown; token?: string } = {},
    ) {
      const answer = await fetch(`${world.url}/ghost/api/admin${path}`, {
        method,
        redirect: 'manual',
        headers: { authorization: `Ghost ${token}`, 'content-type': 'application/json' },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
      return { status: answer.status, said: Object(isJson ? JSON.parse(text) : null) };
    }

    const post = (sent: unknown) => ask('POST', '/posts/?source=html', { json: { posts: [sent] } });
    const find = (filter: string, fields = 'id') =>
      ask('GET', `/posts/?${new URLSearchParams({ filter, fields })}`).then(({ said }) => said.posts);
    /** One that no other test has. */
    const newSlug = () => {
      facts += 1;
      return `fact-${facts}`;
    };

    it('stores the same post twice, under another slug, and ignores ids and unknown fields', async () => {
      const slug = newSlug();
      const sent = { id: 'a'.repeat(24), uuid: 'x', title: 'A', slug, status: 'published', unheard: 1 };

      const first = await post(sent);
      const second = await post(sent);

      expect([first.status, second.status]).toEqual([201, 201]);
      expect([first, second].map(({ said }) => said.posts[0].slug)).toEqual([slug, `${slug}-2`]);
      expect(first.said.posts[0].id).not.toBe(sent.id);
    });

    it.each<[string, TokenParts, string, string]>([
      ['an unknown key', { kid: 'b'.repeat(24) }, 'UNKNOWN_ADMIN_API_KEY', 'Unknown Admin API Key'],
      ['a wrong secret', { secret: 'ab'.repeat(32) }, 'INVALID_JWT', 'Invalid token: invalid signature'],
      ['a token that is over', { lastsSeconds: -1 }, 'INVALID_JWT', 'Invalid token: jwt expired'],
      [
        'an old token',
        { ageSeconds: 301, lastsSeconds: 900 },
        'INVALID_JWT',
        'Invalid token: maxAge exceeded',
      ],
      ['a token for something else', { aud: '/x/' }, 'INVALID_JWT', 'Invalid token: jwt audience invalid'],
    ])('refuses %s', async (_name, token, code, message) => {
      const { status, said } = await ask('GET', '/posts/', { token: tokenOf(token) });

      expect([status, said.errors[0].code]).toEqual([401, code]);
      expect(said.errors[0].message).toContain(message);
    });

    it('takes a token of a clock that is ahead of its own', async () => {
      expect(await ask('GET', '/posts/', { token: tokenOf({ ageSeconds: -240 }) })).toMatchObject({
        status: 200,
      });
    });

    it.each([
      ['a title of 256', { title: 'x'.repeat(256) }],
      ['an excerpt of 301', { title: 'x', custom_excerpt: '🦊'.repeat(301) }],
      ['an alternative text of 192', { title: 'x', feature_image_alt: 'x'.repeat(192) }],
      ['a tag of 192', { title: 'x', tags: ['x'.repeat(192)] }],
      ['no title', {}],
      ['a status that does not exist', { title: 'x', status: 'nope' }],
      ['scheduled without a time', { title: 'x', status: 'scheduled' }],
    ])('refuses %s with 422', async (_name, sent) => {
      const slug = newSlug();

      const answer = await post({ slug, ...sent });

      expect(answer).toMatchObject({ status: 422, said: { errors: [{ type: 'ValidationError' }] } });
      expect(await find(`slug:'${slug}'`)).toEqual([]);
    });

    it('takes 255 characters beyond the basic plane', async () => {
      expect(await post({ title: '🦊'.repeat(255) })).toMatchObject({ status: 201 });
    });

    it('says who it is to anybody', async () => {
      const { status, said } = await ask('GET', '/site/', { token: 'x' });

      expect(status).toBe(200);
      expect(Object.keys(said.site)).toEqual(expect.arrayContaining(['title', 'url', 'version']));
    });

    it('redirects what has no slash at its end', async () => {
      expect(await ask('GET', '/posts')).toMatchObject({ status: 301 });
    });

    it('compares a canonical URL letter by letter, in whatever state', async () => {
      const url = `https://news.test/${newSlug()}`;
      await post({ title: 'x', canonical_url: url, status: 'draft' });

      expect(await find(`canonical_url:'${url}'`)).toHaveLength(1);
      expect(await find(`canonical_url:'${url}/'`)).toEqual([]);
    });

    it('reads several forms of a link, quotes and all, beside a slug', async () => {
      const [slug, other] = [newSlug(), newSlug()];
      const url = `https://news.test/${other}/it's?x=1,2`;
      await post({ title: 'x', slug, status: 'draft' });
      await post({ title: 'y', slug: other, canonical_url: url, status: 'draft' });
      const forms = ['https://x.test', url].map(form => `'${form.replaceAll("'", "\\'")}'`).join(',');

      const found = await find(`slug:'${slug}',canonical_url:[${forms}]`, 'id,slug');

      expect(found.map((each: { slug: string }) => each.slug).toSorted()).toEqual([slug, other]);
    });

    it('makes a wrong address of a draft that is asked for without its uuid', async () => {
      const slug = newSlug();
      await post({ title: 'x', slug, status: 'draft' });

      const [whole] = await find(`slug:'${slug}'`, 'id,uuid,url');
      const [part] = await find(`slug:'${slug}'`, 'id,url');

      expect(whole.url).toBe(`${world.url}/p/${whole.uuid}/`);
      expect(part.url).not.toBe(whole.url);
    });
  });
}
