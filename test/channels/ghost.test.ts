import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ghost } from '../../src/channels/ghost.ts';
import { error, maintenancePage } from '../fakes/ghost/answers.ts';
import { ghostAdminKey } from '../fakes/ghost/token.ts';
import { type FakeGhost, fakeGhost, type GhostOptions } from '../fakes/ghost.ts';
import { examplePost } from '../support/examplePost.ts';
import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, lostAnswer, type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { type OpenOptions, openChannel, sendingAt, smallPng } from './openChannel.ts';

let site: FakeGhost;
let open: OpenFake;

async function start(options: GhostOptions = {}) {
  await open?.close();
  site = fakeGhost(options);
  open = await openProtocolFake(site);
}

beforeEach(() => start());
afterEach(() => open.close());

type As = { adminKey?: string } & OpenOptions;

function use(settings: Record<string, unknown> = {}, { adminKey = ghostAdminKey, ...options }: As = {}) {
  const account = { instance: open.url, adminKey };
  return openChannel({ channel: ghost, secrets: [adminKey] }, { settings, account }, options);
}

const minutes = (count: number) => new Date(sendingAt.getTime() + count * 60_000);
const sentPost = () => JSON.parse(open.sent()[0]?.body ?? '{"posts":[null]}').posts[0];
const uploads = ({ method, path }: ReceivedRequest) => method === 'POST' && path.includes('/images/');
const questions = ({ method, path }: ReceivedRequest) => method === 'GET' && path.includes('/posts/');
const claimsOf = ({ headers }: ReceivedRequest) => {
  const [, token = ''] = (headers.authorization ?? '').split(' ');
  const [head = '', claims = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  return { ...read(head), ...read(claims) };
};

describe('a Ghost post', () => {
  it('has the article as its canonical URL, and says where it is', async () => {
    const outcome = await use().publish(examplePost());

    expect(open.sent()[0]?.path).toBe('/ghost/api/admin/posts/?source=html');
    expect(sentPost()).toEqual({
      slug: 'the-queue-makes-headway-0d4c5a1e',
      title: 'The queue makes headway',
      html:
        '<p>How it does.</p>\n' + '<p><a href="https://news.test/a/1?x=1">https://news.test/a/1?x=1</a></p>',
      custom_excerpt: 'How it does.',
      canonical_url: 'https://news.test/a/1?x=1',
      tags: ['release', 'queue'],
      status: 'published',
      feature_image: `${open.url}/content/images/2026/09/the-queue-makes-headway-0d4c5a1e.png`,
      feature_image_alt: 'A queue that moves.',
    });
    expect(outcome).toEqual({
      kind: 'succeeded',
      remoteId: site.stored[0]?.id,
      remoteUrl: `${open.url}/the-queue-makes-headway-0d4c5a1e/`,
    });
  });

  it('may be a draft without canonical URL, tags and picture, with the text of the route', async () => {
    const settings = { status: 'draft', canonical: false, tags: false, image: 'off', content: 'text' };

    await use(settings).publish(examplePost({ text: 'A text', url: null }));

    expect(sentPost()).toMatchObject({ html: '<p>A text</p>', status: 'draft', canonical_url: null });
    expect(sentPost()).toMatchObject({ tags: [], feature_image: null, feature_image_alt: null });
  });

  it.each([
    [true, ['#intern', 'a, b', 'A  b', ' ', 'x'.repeat(192)], ['intern', 'A b']],
    [['News', '#feed'], ['release'], ['News', '#feed']],
    [false, ['release'], []],
  ])('has with tags: %j of %j the tags %j', async (setting, tags, expected) => {
    await use({ tags: setting }).publish(examplePost({ tags }));

    expect(sentPost().tags).toEqual(expected);
  });

  it.each([
    ['title', 255, { title: '🦊'.repeat(255) }, { title: '🦊'.repeat(256) }],
    ['custom_excerpt', 300, { summary: 'é'.repeat(300) }, { summary: 'é'.repeat(301) }],
    ['feature_image_alt', 191, { imageAlt: 'é'.repeat(191) }, { imageAlt: 'é'.repeat(192) }],
  ])('has a %s of at most %i characters', async (field, limit, fits, over) => {
    const user = use();

    const whole = await user.compose(examplePost(fits));
    const cut = await user.compose(examplePost(over));

    const length = (post: { composed: unknown }) => [...String(Object(post.composed)[field])].length;
    expect([length(whole), length(cut)]).toEqual([limit, limit]);
    expect(Object(whole.composed)[field]).not.toContain('…');
    expect(Object(cut.composed)[field]).toMatch(/…$/);
    expect(await user.send(whole)).toMatchObject({ kind: 'succeeded' });
    expect(await user.send(cut)).toMatchObject({ kind: 'succeeded' });
  });

  it.each([
    ['https://bücher.test/ä b', 'https://xn--bcher-kva.test/%C3%A4%20b'],
    ["https://news.test/it's|this", "https://news.test/it's|this"],
    [`https://news.test/${'a'.repeat(2_000)}`, null],
    ['gopher://news.test/', null],
  ])('has of %s the canonical URL %s', async (url, canonicalUrl) => {
    await use().publish(examplePost({ url }));

    expect(sentPost().canonical_url).toBe(canonicalUrl);
  });

  it('is previewed as it is sent, and what is cut is said', () => {
    const { parts, notes } = use().preview(examplePost({ title: 'word '.repeat(80) }));

    expect(parts.map(({ name }) => name)).toEqual(['title', 'html', 'excerpt', 'canonical URL', 'tags']);
    expect(parts[0]?.count).toEqual({ length: expect.any(Number), limit: 255, unit: 'characters' });
    expect(notes).toEqual(['the title was cut']);
  });
});

describe('a token of Ghost', () => {
  it('is made for each request, from the instant of its step, and lasts five minutes', async () => {
    const user = use();
    const composed = await user.compose(examplePost());
    await user.send(composed);
    await user.lookUp(composed);

    const at = Math.floor(sendingAt.getTime() / 1_000);
    const claims = open.receiver.requests.map(claimsOf);
    expect(claims[0]).toEqual({
      alg: 'HS256',
      typ: 'JWT',
      kid: ghostAdminKey.split(':')[0],
      iat: at,
      exp: at + 300,
      aud: '/admin/',
    });
    expect(claims.map(({ iat }) => iat - at)).toEqual([0, 0, 0, 0, 10]);
  });

  it.each([
    [5, 'blocked'],
    [4.9, 'succeeded'],
    [-60, 'succeeded'],
  ])('is taken or not where the clock of Ghost is %d minutes ahead: %s', async (ahead, kind) => {
    await start({ now: () => minutes(ahead) });

    const outcome = await use().publish(examplePost());

    expect(outcome.kind).toBe(kind);
    if (kind === 'blocked')
      expect(outcome).toMatchObject({
        scope: 'account',
        code: 'unauthorized',
        isGone: false,
        detail: expect.stringMatching(/jwt expired.*check the clock/),
      });
  });

  it('is hidden where a server echoes it', async () => {
    const user = use();
    const composed = await user.compose(examplePost());
    const echo = ({ headers }: ReceivedRequest): Behaviour => ({
      kind: 'answer',
      status: 403,
      body: `you sent ${headers.authorization}`,
    });
    open.plan({ when: 'before', behaviour: echo });

    expect(await user.send(composed)).toMatchObject({ detail: 'HTTP 403: you sent Ghost …' });
  });
});

describe('the picture of a Ghost post', () => {
  it('is uploaded byte for byte', async () => {
    await use().compose(examplePost());

    expect(site.images).toEqual([
      { fileName: 'the-queue-makes-headway-0d4c5a1e.png', mediaType: 'image/png', bytes: smallPng },
    ]);
  });

  it.each<[string, Behaviour]>([
    ['a type that is not taken', error(415, 'UnsupportedMediaTypeError', 'Please select a valid image.')],
    ['a 400 of the picture', error(400, 'BadRequestError', 'Image processing failed')],
    ['a 404', { kind: 'answer', status: 404 }],
    ['a 413', { kind: 'answer', status: 413, body: '<html>' }],
    ['a 200 that is HTML', { kind: 'answer', status: 200, body: '<html>' }],
    ['a 500', error(500, 'InternalServerError', 'oops')],
    ['no answer', { kind: 'reset' }],
  ])('costs itself by %s, and the article where it is required', async (_name, behaviour) => {
    open.plan({ when: 'before', on: uploads, behaviour });

    const optional = await use().tryToCompose(examplePost());
    const required = await use({ image: 'required' }).tryToCompose(examplePost());

    expect(optional).toMatchObject({
      kind: 'composed',
      composed: { feature_image: null, feature_image_alt: null },
      notes: [expect.stringContaining('without its picture')],
    });
    expect(required).toMatchObject({ kind: 'failed', code: 'image_unavailable', blames: 'article' });
  });

  it('costs the article where it is required and there is none', async () => {
    const answer = await use({ image: 'required' }).tryToCompose(examplePost({ imageUrl: null }));

    expect(answer).toMatchObject({ kind: 'failed', code: 'image_unavailable', isFinal: false });
  });

  it.each<[string, Behaviour, Record<string, unknown>]>([
    ['429', error(429, 'TooManyRequestsError', 'no'), { kind: 'throttled', scope: 'account', until: null }],
    ['503 of a start', maintenancePage(), { kind: 'throttled', scope: 'account', code: 'unavailable' }],
    ['401', error(401, 'UnauthorizedError', 'no'), { kind: 'blocked', code: 'unauthorized' }],
  ])('is not blamed where the site refuses everything: %s', async (_name, behaviour, expected) => {
    open.plan({ when: 'before', on: uploads, behaviour });

    expect(await use().tryToCompose(examplePost())).toMatchObject(expected);
  });
});

describe('a lost answer of Ghost', () => {
  async function lose(settings: Record<string, unknown> = {}, parts: Record<string, unknown> = {}) {
    const user = use(settings);
    const composed = await user.compose(examplePost(parts));
    open.plan(lostAnswer());
    const outcome = await user.send(composed);
    expect(outcome.kind).toBe('unknown');
    open.plan();
    return { lookUp: () => user.lookUp(composed), stored: Object(site.stored.at(-1)) };
  }

  it.each([
    ['published', {}, {}],
    ['a draft', { status: 'draft' }, {}],
    ['without canonical URL', { canonical: false }, {}],
    ['without a link', {}, { url: null }],
  ])('is found where the post is %s', async (_name, settings, parts) => {
    const { lookUp, stored } = await lose(settings, parts);

    const path = stored.status === 'draft' ? `p/${stored.uuid}` : stored.slug;
    const remoteUrl = `${open.url}/${path}/`;
    expect(await lookUp()).toEqual({ kind: 'found', remoteId: stored.id, remoteUrl });
  });

  it('is found where somebody has changed its slug', async () => {
    const { lookUp, stored } = await lose();
    stored.slug = 'another';

    expect(await lookUp()).toMatchObject({ kind: 'found', remoteId: stored.id });
  });

  it('is found where the quote in its link has to be escaped', async () => {
    const { lookUp, stored } = await lose({}, { url: "https://news.test/it's" });
    stored.slug = 'another';

    expect(await lookUp()).toMatchObject({ kind: 'found' });
  });

  it.each([
    ['of before', { canonical_url: 'https://news.test/a/1?x=1', created_at: minutes(-3).toISOString() }],
    ['about another link', { canonical_url: 'https://news.test/a/10?x=1' }],
    ['of another publication', { slug: 'the-queue-makes-headway-7b1f0f3e' }],
  ])('is not mistaken for a post %s', async (_name, other) => {
    const user = use();
    const composed = await user.compose(examplePost());
    site.write(other);

    expect(await user.lookUp(composed)).toEqual({ kind: 'not_found' });
  });

  it('proves nothing once the key was removed', async () => {
    const { lookUp } = await lose();
    site.removeKey();

    expect(await lookUp()).toMatchObject({
      kind: 'incomplete',
      refusal: { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true },
    });
  });

  it.each<[string, Behaviour, object]>([
    ['starts', maintenancePage(), { kind: 'incomplete', refusal: { kind: 'throttled' } }],
    ['shows less than it has', jsonAnswer(200, { posts: [], meta: { pagination: { total: 1 } } }), {}],
    ['answers with something else', jsonAnswer(200, { posts: [] }), {}],
  ])('proves nothing by a site that %s', async (_name, behaviour, expected) => {
    const { lookUp } = await lose();
    open.plan({ when: 'before', on: questions, behaviour });

    expect(await lookUp()).toMatchObject({ kind: 'incomplete', ...expected });
  });
});

describe('duplicates on a Ghost site', () => {
  const exists = (options: { url?: string; duplicates?: string; notBefore?: Date } = {}) => {
    const { url = 'https://news.test/a/1?x=1', duplicates = '30d', notBefore = null } = options;
    return use({ duplicates }).findExisting(examplePost({ url }), { notBefore });
  };

  it.each([
    ['https://news.test/a/1?x=1', 'https://news.test/a/1?x=1'],
    ['http://news.test/a/1/?x=1', 'https://news.test/a/1?x=1'],
    ['https://news.test/a/1/', 'http://News.test/a/1?utm_source=y'],
    ['https://news.test/a/1', 'https://news.test/a/1/#top'],
    ['https://news.test/a?page=1&lang=en', 'https://news.test/a?page=1&utm_source=y&lang=en#top'],
    ['https://news.test/a/?page=1&lang=en', 'http://news.test/a?page=1&lang=en&utm_source=y'],
  ])('are found with the canonical URL %s for %s, in whatever state', async (canonical_url, url) => {
    const { id } = site.write({ canonical_url, status: 'draft' });

    expect(await exists({ url })).toMatchObject({ kind: 'found', remoteId: id });
  });

  it.each([
    ['another article', { canonical_url: 'https://news.test/a/10?x=1' }],
    ['another parameter', { canonical_url: 'https://news.test/a/1?x=2' }],
    ['without canonical URL', { slug: 'a' }],
    [
      'of before the window',
      { canonical_url: 'https://news.test/a/1?x=1', created_at: minutes(-31 * 1_440).toISOString() },
    ],
  ])('are not %s', async (_name, other) => {
    site.write(other);

    expect(await exists()).toEqual({ kind: 'not_found' });
  });

  it('do not count where a person wished it once more, or where they are off', async () => {
    site.write({ canonical_url: 'https://news.test/a/1?x=1', created_at: minutes(-60).toISOString() });

    expect(await exists({ notBefore: minutes(-30) })).toEqual({ kind: 'not_found' });
    expect(await exists({ duplicates: 'off' })).toEqual({ kind: 'not_found' });
    expect(await exists()).toMatchObject({ kind: 'found' });
  });

  it('are asked for with the placeholder for an address of the site itself', async () => {
    const { id } = site.write({ canonical_url: '__GHOST_URL__/a/1' });
    open.plan({
      when: 'before',
      on: questions,
      // It is stored with the placeholder, and shown without.
      behaviour: request => {
        const filter = new URL(request.path, open.url).searchParams.get('filter') ?? '';
        const canonical_url = `${open.url}/a/1`;
        const found = filter.includes("'__GHOST_URL__/a/1'");
        const shown = { id, slug: 's', url: open.url, canonical_url, created_at: sendingAt };
        const pagination = { total: Number(found) };
        return jsonAnswer(200, { posts: found ? [shown] : [], meta: { pagination } });
      },
    });

    expect(await exists({ url: `${open.url}/a/1` })).toMatchObject({ kind: 'found', remoteId: id });
  });
});

describe('a session of Ghost', () => {
  it('is opened once, by a request that needs the key', async () => {
    const user = use();
    await user.publish(examplePost());

    const asked = open.receiver.requests.filter(({ method }) => method === 'GET').map(({ path }) => path);
    expect(asked).toEqual(['/ghost/api/admin/posts/?limit=1&fields=id', '/ghost/api/admin/site/']);
    expect(await user.session()).toEqual({ title: 'A site', version: '5.130', url: `${open.url}/` });
  });

  it.each([
    ['another id', `${'a'.repeat(24)}${ghostAdminKey.slice(24)}`, 'Unknown Admin API Key'],
    ['another secret', `${ghostAdminKey.slice(0, -1)}0`, 'invalid signature'],
  ])('is refused for good with %s', async (_name, adminKey, words) => {
    expect(await use({}, { adminKey }).tryToCompose(examplePost())).toMatchObject({
      kind: 'blocked',
      scope: 'account',
      code: 'unauthorized',
      isGone: true,
      detail: expect.stringContaining(words),
    });
  });

  it.each<[string, Behaviour, Record<string, unknown>]>([
    ['404', { kind: 'answer', status: 404, body: '<html>' }, { kind: 'blocked', code: 'not_found' }],
    ['200 that is HTML', { kind: 'answer', status: 200, body: '<html>' }, { code: 'not_found' }],
    ['503 of a start', maintenancePage(), { kind: 'throttled', scope: 'account', until: null }],
    ['502', { kind: 'answer', status: 502 }, { kind: 'failed', code: 'server_error', blames: 'channel' }],
    [
      'a redirect',
      { kind: 'answer', status: 301, headers: { Location: 'https://admin.site.test/' } },
      { kind: 'failed', detail: expect.stringContaining('https://admin.site.test/') },
    ],
  ])('is not opened by %s', async (_name, behaviour, expected) => {
    open.plan({ when: 'before', on: () => true, behaviour });

    expect(await use().tryToCompose(examplePost())).toMatchObject(expected);
  });

  it('names its destination by the site', () => {
    expect(use().destination()).toEqual({ instance: open.url, target: 'posts' });
  });
});

describe('a check of a Ghost channel', () => {
  it('tells the site and its version, and posts nothing', async () => {
    const findings = await use().check();

    expect(findings.map(({ isOk }) => isOk)).toEqual([true, true]);
    expect(findings[0]?.detail).toContain('A site (Ghost 5.130');
    expect(open.receiver.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('tells about a key that was removed', async () => {
    const user = use();
    await user.session();
    site.removeKey();

    expect(await user.check()).toEqual([
      { subject: 'credentials', isOk: false, detail: 'HTTP 401: Unknown Admin API Key' },
    ]);
  });
});

describe('the keys of Ghost', () => {
  it.each([
    [{ status: 'scheduled' }, 'published or draft'],
    [{ tags: 'News' }, 'true, false or a list'],
    [{ canonical: 'no' }, 'true or false'],
  ])('refuse %j and say what is allowed', (settings, words) => {
    const parsed = ghost.settings.safeParse(settings);

    expect(parsed.error?.issues[0]?.message).toContain(words);
  });

  it.each(['', 'abc', `${'g'.repeat(24)}:${'0'.repeat(64)}`, '0'.repeat(26), ghostAdminKey.slice(1)])(
    'refuse %j as an Admin API key, without saying it',
    adminKey => {
      const parsed = ghost.account?.credentials.safeParse({ instance: 'https://blog.test', adminKey });

      expect(parsed?.success).toBe(false);
      if (adminKey !== '') expect(JSON.stringify(parsed?.error?.issues)).not.toContain(adminKey);
    },
  );
});
