import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wordpress } from '../../src/channels/wordpress.ts';
import { standingClock } from '../../src/clock.ts';
import { firewall, maintenance } from '../fakes/wordpress/answers.ts';
import { trash } from '../fakes/wordpress/posts.ts';
import { wordpressPasswords } from '../fakes/wordpress/users.ts';
import { type FakeWordPress, fakeWordPress, type WordPressOptions } from '../fakes/wordpress.ts';
import { examplePost } from '../support/examplePost.ts';
import type { ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, lostAnswer, type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { type OpenOptions, openChannel, sendingAt } from './openChannel.ts';

let site: FakeWordPress;
let open: OpenFake;

async function start(options: WordPressOptions = {}) {
  await open?.close();
  site = fakeWordPress(options);
  open = await openProtocolFake(site);
}

beforeEach(() => start());
afterEach(() => open.close());

type As = { username?: string; appPassword?: string } & OpenOptions;

function use(
  settings: Record<string, unknown> = {},
  { username = 'editor', appPassword, ...options }: As = {},
) {
  const password = appPassword ?? site.users.find(({ name }) => name === username)?.password ?? 'none';
  const account = { instance: open.url, username, appPassword: password };
  return openChannel({ channel: wordpress, secrets: [password] }, { settings, account }, options);
}

const contributor = { username: 'contributor', appPassword: wordpressPasswords.contributor };
const sentPost = () => JSON.parse(open.sent()[0]?.body ?? 'null');
const minutes = (count: number) => new Date(sendingAt.getTime() + count * 60_000);
const asksFor = (path: string) => (request: ReceivedRequest) => request.path.startsWith(`/wp-json${path}`);
const uploads = (request: ReceivedRequest) =>
  request.method === 'POST' && request.path.startsWith('/wp-json/wp/v2/media');

describe('a WordPress post', () => {
  it('has the summary and the link as its text, and says where it is', async () => {
    const outcome = await use({ categories: ['r&d', 8, 'news'] }).publish(examplePost());

    expect(sentPost()).toEqual({
      slug: 'the-queue-makes-headway-0d4c5a1e',
      title: 'The queue makes headway',
      content:
        '<p>How it does.</p>\n' + '<p><a href="https://news.test/a/1?x=1">https://news.test/a/1?x=1</a></p>',
      excerpt: 'How it does.',
      status: 'publish',
      categories: [7, 8],
      tags: site.tags.map(({ id }) => id),
      featured_media: site.media[0]?.id,
    });
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      remoteUrl: `${open.url}/the-queue-makes-headway-0d4c5a1e/`,
    });
  });

  it('may have the text of the route, its addresses as links', async () => {
    const text = 'One & <two>:\nhttps://x.test/?a=1&b=2.\n\nhttps://news.test/a/1?x=1';

    await use({ content: 'text' }).publish(examplePost({ text }));

    expect(sentPost().content).toBe(
      '<p>One &amp; &lt;two&gt;:<br>\n' +
        '<a href="https://x.test/?a=1&amp;b=2">https://x.test/?a=1&amp;b=2</a>.</p>\n' +
        '<p><a href="https://news.test/a/1?x=1">https://news.test/a/1?x=1</a></p>',
    );
  });

  it.each([
    ['nothing but its link', { summary: null }, '<p><a href="https://news.test/a/1?x=1">'],
    [
      'the text of the route where there is no link',
      { summary: ' ', url: null, text: 'A text' },
      '<p>A text</p>',
    ],
    ['a link that is not of the web as text', { summary: 'S', url: 'javascript:alert(1)' }, '<p>javascript:'],
  ])('has %s', async (_name, parts, content) => {
    await use().publish(examplePost(parts));

    expect(sentPost().content).toContain(content);
  });

  it('lets no feed call a shortcode or set a tag', async () => {
    const title = 'It\'s [gallery] & <script>"x"';

    await use().publish(examplePost({ title, summary: '[contact] <b>' }));

    expect(sentPost()).toMatchObject({
      title: 'It\'s &#91;gallery] &amp; &lt;script&gt;"x"',
      excerpt: '&#91;contact] &lt;b&gt;',
      content: expect.stringMatching(/^<p>&#91;contact] &lt;b&gt;<\/p>/),
    });
  });

  it('leaves the site its default category where none is named', async () => {
    await use().publish(examplePost());

    expect(sentPost()).not.toHaveProperty('categories');
  });

  it.each(['draft', 'pending'])('may be %s', async status => {
    const outcome = await use({ status }, contributor).publish(examplePost());

    expect(site.stored[0]).toMatchObject({ status, author: 3 });
    expect(outcome).toMatchObject({ kind: 'succeeded', remoteUrl: expect.stringContaining('/?p=') });
  });

  it('is previewed as it is sent', async () => {
    const user = use();
    const { parts, notes } = user.preview(examplePost());

    await user.publish(examplePost());

    const { title, content, excerpt } = sentPost();
    expect(parts.map(({ name, text }) => [name, text])).toEqual(Object.entries({ title, content, excerpt }));
    expect(notes).toEqual([expect.stringContaining('release, queue'), expect.stringContaining('picture')]);
  });
});

describe('the tags of a WordPress post', () => {
  it('are made once, and found by their refusal the next time', async () => {
    await use().publish(examplePost({ tags: ['R&D', 'r&d ', ' '] }));
    await use().publish(examplePost({ tags: ['R&D'], postKey: '7b1f0f3e-1111-4a4a-8b8b-1c2f3e4d5b6a' }));

    expect(site.tags).toHaveLength(1);
    expect(site.stored.map(({ tags }) => tags)).toEqual([[site.tags[0]?.id], [site.tags[0]?.id]]);
  });

  it('cost themselves where the site does not take them', async () => {
    open.plan({
      when: 'before',
      on: asksFor('/wp/v2/tags'),
      behaviour: jsonAnswer(403, { code: 'x', message: 'no' }),
    });

    const answer = await use().tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'composed', composed: { tags: [] } });
    expect(Object(answer).notes).toEqual([
      expect.stringContaining('release'),
      expect.stringContaining('queue'),
    ]);
  });

  it('may be left out, and are ten at most', async () => {
    const tags = Array.from({ length: 12 }, (_, index) => `tag ${index}`);

    await use({ tags: false }).compose(examplePost());
    const before = site.tags.length;
    await use().compose(examplePost({ tags }));

    expect(before).toBe(0);
    expect(site.tags).toHaveLength(10);
  });
});

describe('the categories of a WordPress channel', () => {
  it.each([['Nowhere'], [99]])('hold the channel where the site has no %s', async category => {
    const answer = await use({ categories: ['News', category] }).tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'blocked', scope: 'channel', code: 'not_found', isGone: false });
    expect(answer).toMatchObject({ detail: expect.stringContaining(JSON.stringify(category)) });
  });

  it('hold the channel where a name means two', async () => {
    site.categories.push({ id: 9, name: 'news', slug: 'news-2' });

    const answer = await use({ categories: ['News'] }).tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'blocked', detail: expect.stringContaining('2 categories') });
  });

  it('are asked for before anything is uploaded', async () => {
    await use({ categories: ['Nowhere'] }).tryToCompose(examplePost());

    expect(open.receiver.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('the picture of a WordPress post', () => {
  it('is uploaded with its words, and no second time', async () => {
    await use().compose(examplePost({ imageAlt: 'Ein Schiff & "mehr"' }));
    await use().compose(examplePost());

    expect(site.media).toMatchObject([
      {
        slug: 'the-queue-makes-headway-0d4c5a1e-image',
        altText: 'Ein Schiff & "mehr"',
        mediaType: 'image/png',
      },
    ]);
  });

  it.each([
    [
      'a file type that is forbidden (a 500)',
      jsonAnswer(500, { code: 'rest_upload_sideload_error', message: 'no' }),
    ],
    ['a right that is missing', jsonAnswer(403, { code: 'rest_cannot_create', message: 'no' })],
    ['a 404', firewall(404)],
    ['a 413', firewall(413)],
    ['a 200 that is HTML', firewall(200)],
    ['a 500 without words', { kind: 'answer', status: 500 } as const],
    ['no answer', { kind: 'reset' } as const],
  ])('costs itself by %s, and the article where it is required', async (_name, behaviour) => {
    open.plan({ when: 'before', on: uploads, behaviour });

    const optional = await use().tryToCompose(examplePost());
    const required = await use({ image: 'required' }).tryToCompose(examplePost());

    expect(optional).toMatchObject({ kind: 'composed', composed: { featured_media: 0 } });
    expect(optional).toMatchObject({ notes: [expect.stringContaining('without its picture')] });
    expect(required).toMatchObject({ kind: 'failed', code: 'image_unavailable', blames: 'article' });
  });

  it('costs the article where it is required and cannot be fetched', async () => {
    const answer = await use({ image: 'required' }, { picture: null }).tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'failed', code: 'image_unavailable', isFinal: false });
  });

  it('costs the article where it is required and there is none', async () => {
    const answer = await use({ image: 'required' }).tryToCompose(examplePost({ imageUrl: null }));

    expect(answer).toMatchObject({ kind: 'failed', code: 'image_unavailable', isFinal: false });
  });

  it.each([
    ['429', firewall(429), { kind: 'throttled', scope: 'account', code: 'rate_limited', until: null }],
    ['503 of maintenance', maintenance(), { kind: 'throttled', scope: 'account', code: 'unavailable' }],
    ['401', jsonAnswer(401, {}), { kind: 'blocked', scope: 'account', code: 'unauthorized' }],
  ])('is not blamed where the site refuses everything: %s', async (_name, behaviour, expected) => {
    open.plan({ when: 'before', on: uploads, behaviour });

    const answer = await use().tryToCompose(examplePost());

    expect(answer).toMatchObject(expected);
  });

  it('is there although PHP died while it was made smaller', async () => {
    const headers = { 'X-WP-Upload-Attachment-ID': '77' };
    open.plan({ when: 'before', on: uploads, behaviour: { kind: 'answer', status: 500, headers } });

    const answer = await use().tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'composed', composed: { featured_media: 77 }, notes: [] });
  });

  it('is not sent where it is off', async () => {
    await use({ image: 'off' }).publish(examplePost());

    expect(site.media).toEqual([]);
    expect(sentPost()).toMatchObject({ featured_media: 0 });
  });
});

describe('a lost answer of WordPress', () => {
  async function lose(settings: Record<string, unknown> = {}, as: As = {}, post = examplePost()) {
    const user = use(settings, as);
    const composed = await user.compose(post);
    open.plan(lostAnswer());
    const outcome = await user.send(composed);
    expect(outcome.kind).toBe('unknown');
    open.plan();
    return { lookUp: () => user.lookUp(composed), stored: site.stored.at(-1) };
  }

  it.each([
    ['published', {}, {}],
    ['a draft', { status: 'draft' }, contributor],
    ['pending and without a slug', { status: 'pending' }, contributor],
  ])('is found where the post is %s', async (_name, settings, as) => {
    const { lookUp, stored } = await lose(settings, as);

    expect(await lookUp()).toMatchObject({ kind: 'found', remoteId: String(stored?.id) });
  });

  it.each([
    ['is in the trash', {}, {}],
    ['had no slug and is in the trash', { status: 'pending' }, contributor],
  ])('is found where the post %s', async (_name, settings, as) => {
    const { lookUp, stored } = await lose(settings, as);
    if (stored) trash(stored);

    expect(await lookUp()).toMatchObject({ kind: 'found' });
  });

  it('is found where an editor has published it under another slug and date', async () => {
    const { lookUp, stored } = await lose({ status: 'pending' }, contributor);
    Object.assign(stored ?? {}, { status: 'publish', slug: 'another', date: minutes(30), title: 'Another' });

    expect(await lookUp()).toMatchObject({ kind: 'found' });
  });

  it('is found by its title where there is no link', async () => {
    const bare = examplePost({ url: null, title: 'It\'s "2x3" ... & more', summary: 'S' });
    const { lookUp } = await lose({ status: 'pending' }, contributor, bare);

    expect(await lookUp()).toMatchObject({ kind: 'found' });
  });

  it('proves nothing where the post with its slug is hidden from the account', async () => {
    const { lookUp, stored } = await lose({ status: 'draft' }, contributor);
    Object.assign(stored ?? {}, { author: 2 });

    expect(await lookUp()).toMatchObject({
      kind: 'incomplete',
      detail: expect.stringContaining('shows none'),
    });
  });

  const content = '<p><a href="https://news.test/a/1?x=1">there</a></p>';

  it.each([
    ['by somebody else', { content, author: 2, date: minutes(0) }],
    ['of before', { content, author: 3, date: minutes(-3) }],
    ['about another link', { content: content.replace('a/1', 'a/10'), author: 3 }],
  ])('is not mistaken for a post %s', async (_name, other) => {
    const user = use({ status: 'pending' }, contributor);
    const composed = await user.compose(examplePost());
    site.write(other);

    expect(await user.lookUp(composed)).toEqual({ kind: 'not_found' });
  });

  it('reads on while what was posted since fills its pages, and gives up at a bound', async () => {
    const user = use();
    const composed = await user.compose(examplePost());
    for (let made = 0; made < 199; made++) site.write({ author: 2 });

    const complete = await user.lookUp(composed);
    for (let made = 0; made < 2; made++) site.write({ author: 2 });
    const bounded = await user.lookUp(composed);

    expect(complete).toEqual({ kind: 'not_found' });
    expect(bounded).toMatchObject({ kind: 'incomplete', detail: expect.stringContaining('more than 200') });
  });

  it('proves nothing once the password was revoked', async () => {
    const { lookUp } = await lose();
    site.revoke('editor');

    expect(await lookUp()).toMatchObject({
      kind: 'incomplete',
      refusal: { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false },
    });
  });

  it('proves nothing while the site is down for maintenance', async () => {
    const { lookUp } = await lose();
    open.plan({ when: 'before', on: asksFor('/wp/v2/posts'), behaviour: maintenance() });

    expect(await lookUp()).toMatchObject({ kind: 'incomplete', refusal: { kind: 'throttled' } });
  });

  it('proves nothing by a site that ignores what is asked for', async () => {
    const { lookUp } = await lose();
    const strangers = jsonAnswer(200, [], { 'X-WP-Total': '3' });
    open.plan({ when: 'before', on: asksFor('/wp/v2/posts'), behaviour: strangers });

    expect(await lookUp()).toMatchObject({ kind: 'incomplete' });
  });
});

describe('duplicates on a WordPress site', () => {
  const linking = (url: string) => `<p>Look: <a class="x" href='${url}'>there</a></p>`;
  const exists = (
    options: { post?: Record<string, unknown>; duplicates?: string; notBefore?: Date } = {},
  ) => {
    const { post = {}, duplicates = '30d', notBefore = null } = options;
    return use({ duplicates }, { username: 'author' }).findExisting(examplePost(post), { notBefore });
  };

  it.each([
    ['the same address', 'https://news.test/a/1?x=1'],
    ['http, a slash and a tracker', 'http://news.test/a/1/?utm_source=y&amp;x=1'],
    ['capitals', 'HTTPS://NEWS.TEST/a/1?x=1'],
  ])('are found by %s, by whomever', async (_name, url) => {
    const { id } = site.write({ content: linking(url) });

    expect(await exists()).toMatchObject({ kind: 'found', remoteId: String(id) });
  });

  it.each([
    ['another article', { content: linking('https://news.test/a/10?x=1') }],
    ['another parameter', { content: linking('https://news.test/a/1?x=2') }],
    ['one in the trash', { content: linking('https://news.test/a/1?x=1'), status: 'trash' }],
    [
      'one of before the window',
      { content: linking('https://news.test/a/1?x=1'), date: minutes(-31 * 1_440) },
    ],
    [
      'a digest in which it also stands',
      { content: linking('https://news.test/a/1?x=1') + linking('https://other.test/'), title: 'Our week' },
    ],
  ])('are not %s', async (_name, other) => {
    site.write(other);

    expect(await exists()).toEqual({ kind: 'not_found' });
  });

  it('are found among other links by their title', async () => {
    const content = linking('https://news.test/a/1?x=1') + linking('https://other.test/');
    site.write({ content, title: 'The Queue makes “headway”' });

    expect(await exists()).toMatchObject({ kind: 'found' });
  });

  it('do not count where a person wished it once more, or where they are off', async () => {
    site.write({ content: linking('https://news.test/a/1?x=1'), date: minutes(-60) });

    expect(await exists({ notBefore: minutes(-30) })).toEqual({ kind: 'not_found' });
    expect(await exists({ duplicates: 'off' })).toEqual({ kind: 'not_found' });
    expect(await exists()).toMatchObject({ kind: 'found' });
  });

  it('cannot be told without a link', async () => {
    expect(await exists({ post: { url: null } })).toEqual({ kind: 'not_found' });
  });

  it('are not looked for without a log-in', async () => {
    const user = use();
    await user.session();
    site.revoke('editor');

    expect(await user.findExisting(examplePost())).toMatchObject({
      kind: 'incomplete',
      refusal: { kind: 'blocked', scope: 'account', code: 'unauthorized' },
    });
  });
});

describe('a session of WordPress', () => {
  it('is opened once, and holds who it is and where the REST API lies', async () => {
    const user = use();
    await user.publish(examplePost());

    const asked = open.receiver.requests.filter(asksFor('/wp/v2/users/me'));
    expect(asked).toHaveLength(1);
    expect(await user.session()).toEqual({
      root: 'wp-json',
      userId: 2,
      name: 'editor',
      roles: ['editor'],
      capabilities: ['edit_posts', 'publish_posts', 'upload_files'],
    });
  });

  it('ends after a day', async () => {
    const credentials = { instance: open.url, username: 'editor', appPassword: wordpressPasswords.editor };
    const user = use();
    let expiresAt: unknown;
    const kind = wordpress.account;
    const send = async () => ({
      phase: 'answered' as const,
      status: 200,
      headers: {},
      body: JSON.stringify({ id: 2, name: 'editor', roles: [], capabilities: {} }),
      retryAfter: null,
    });
    const { signal } = new AbortController();

    const answer = await kind?.openSession(credentials, null, { openedAt: sendingAt, send, signal });
    if (answer?.kind === 'opened') expiresAt = answer.expiresAt;

    expect(expiresAt).toEqual(minutes(24 * 60));
    expect(user.destination()).toEqual({ instance: open.url, target: 'posts' });
  });

  it.each(['not_found', 'redirect'] as const)(
    'finds the REST API of a site with plain permalinks: %s',
    async plainPermalinks => {
      await start({ plainPermalinks });
      const user = use({ categories: ['News'] });

      const outcome = await user.publish(examplePost());

      expect(outcome.kind).toBe('succeeded');
      expect(await user.session()).toMatchObject({ root: 'rest_route' });
    },
  );

  it('takes the password with and without its blanks', async () => {
    const appPassword = wordpressPasswords.editor.replaceAll(' ', '');

    expect(await use({}, { appPassword }).publish(examplePost())).toMatchObject({ kind: 'succeeded' });
  });

  it.each([
    ['a wrong password', {}, { appPassword: 'wrong' }, 'check username and appPassword'],
    ['a site without HTTPS', { takesNoPasswords: true }, {}, 'HTTPS'],
  ])('is refused for good by %s, and says what to look at', async (_name, options, as, words) => {
    await start(options);

    const answer = await use({}, as).tryToCompose(examplePost());

    expect(answer).toMatchObject({ kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true });
    expect(answer).toMatchObject({ detail: expect.stringContaining(words) });
  });

  it.each([
    ['401 of something in front', firewall(401), { kind: 'blocked', code: 'unauthorized', isGone: false }],
    ['404 everywhere', firewall(404), { kind: 'blocked', scope: 'account', code: 'not_found' }],
    ['429', firewall(429), { kind: 'throttled', scope: 'account', until: null }],
    ['maintenance', maintenance(), { kind: 'throttled', until: minutes(10) }],
    ['502', firewall(502), { kind: 'failed', code: 'server_error', blames: 'channel' }],
    [
      'a redirect',
      firewall(301, { Location: 'https://www.site.test/wp-json/' }),
      { kind: 'failed', code: 'rejected', detail: expect.stringContaining('https://www.site.test/') },
    ],
    ['a reset', { kind: 'reset' } as const, { kind: 'failed', code: 'connection_reset' }],
  ])('is not opened by %s', async (_name, behaviour, expected) => {
    open.plan({ when: 'before', on: () => true, behaviour });

    expect(await use().tryToCompose(examplePost())).toMatchObject(expected);
  });
});

describe('a check of a WordPress channel', () => {
  const okOf = (findings: readonly { subject: string; isOk: boolean }[]) =>
    findings.map(({ subject, isOk }) => `${subject} ${isOk}`);

  it('tells who it is and what that may do', async () => {
    const findings = await use({ categories: ['News'] }).check();

    expect(okOf(findings)).toEqual(['credentials true', 'rights true', 'rights true', 'settings true']);
    expect(findings[0]?.detail).toBe(`logged in as editor (editor) at ${open.url}/wp-json`);
  });

  it.each([
    ['a contributor who is to publish', {}, ['credentials true', 'rights false', 'rights true']],
    ['a contributor', { status: 'pending' }, ['credentials true', 'rights true', 'rights true']],
    [
      'a contributor who is to upload',
      { status: 'draft', image: 'required' },
      ['credentials true', 'rights true', 'rights false'],
    ],
    [
      'a category that is not there',
      { status: 'draft', image: 'off', categories: ['x'] },
      ['credentials true', 'rights true', 'settings false'],
    ],
  ])('tells about %s', async (_name, settings, expected) => {
    expect(okOf(await use(settings, contributor).check())).toEqual(expected);
  });

  it('tells about a password that was revoked', async () => {
    const user = use();
    await user.session();
    site.revoke('editor');

    expect(okOf(await user.check())).toEqual(['credentials false']);
  });

  it('posts nothing', async () => {
    await use().check();

    expect(open.receiver.requests.every(({ method }) => method === 'GET')).toBe(true);
  });
});

describe('the settings of a WordPress channel', () => {
  it.each([
    [{ status: 'future' }, 'publish, draft or pending'],
    [{ categories: 'News' }, 'list of names or ids'],
    [{ categories: [0] }, 'name or an id'],
    [{ tags: 'yes' }, 'true or false'],
    [{ content: 'all' }, 'summary or text'],
    [{ duplicates: 'never' }, 'off'],
  ])('refuse %j and say what is allowed', (settings, words) => {
    const parsed = wordpress.settings.safeParse(settings);

    expect(parsed.error?.issues[0]?.message).toContain(words);
  });

  it('want a user name without a colon', () => {
    const keys = { instance: 'https://blog.test/de/', username: 'a:b', appPassword: 'x' };

    expect(wordpress.account?.credentials.safeParse(keys).success).toBe(false);
    expect(wordpress.account?.credentials.parse({ ...keys, username: 'a' })).toMatchObject({
      instance: 'https://blog.test/de',
    });
  });
});

it('hides the credentials that a server echoes', async () => {
  const user = use();
  const composed = await user.compose(examplePost());
  const echo = ({ headers }: ReceivedRequest) =>
    ({ kind: 'answer', status: 403, body: `you sent ${headers.authorization}` }) as const;
  open.plan({ when: 'before', behaviour: echo });

  const outcome = await user.send(composed, { clock: standingClock(sendingAt) });

  expect(outcome).toMatchObject({ kind: 'failed', detail: 'HTTP 403: you sent Basic …' });
});
