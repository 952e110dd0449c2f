import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHook } from '../../src/channels/discord/webhookUrl.ts';
import { discord } from '../../src/channels/discord.ts';
import { type FakeDiscord, fakeDiscord } from '../fakes/discord.ts';
import { examplePost } from '../support/examplePost.ts';
import { jsonAnswer, lostAnswer, type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { openChannel } from './openChannel.ts';

const token = 'Zx-9_aToken-of-the-webhook_1234567890';

let fake: FakeDiscord;
let open: OpenFake;

async function start(options: { isForum?: boolean } = {}) {
  fake = fakeDiscord({ token, ...options });
  open = await openProtocolFake(fake);
}

beforeEach(() => start());
afterEach(() => open.close());

const use = (settings: Record<string, unknown> = {}) =>
  openChannel(
    { channel: discord, secrets: [token] },
    { settings: { webhookUrl: `${open.url}${fake.path}`, ...settings } },
  );
const sent = (): Readonly<Record<string, unknown>> => fake.messages()[0] ?? {};

describe('a Discord message', () => {
  it('is text and link, rings at no one, and says where it is', async () => {
    const outcome = await use({ username: 'Headway' }).publish(examplePost());

    expect(sent()).toMatchObject({
      content: 'The queue makes headway, one article at a time.\nhttps://news.test/a/1?x=1',
      allowed_mentions: { parse: [] },
      username: 'Headway',
    });
    expect(sent()).not.toHaveProperty('embeds');
    expect(outcome).toEqual({
      kind: 'succeeded',
      remoteId: '9000',
      remoteUrl: `${open.url}/channels/3001/2001/9000`,
    });
  });

  it('shows what stands there, and no Markdown of it', async () => {
    const text = '__init__ & *more* https://news.test/a_b_c ~~out~~ at #1';

    await use().publish(examplePost({ text, url: 'https://news.test/b' }));

    const content = /^\\_\\_init\\_\\_ \\?& \\\*more\\\* https:\/\/news\.test\/a_b_c \\~\\~out\\~\\~ at #1\n/;
    expect(sent().content).toMatch(content);
  });

  it('may be written in Markdown', async () => {
    await use({ markdown: true }).publish(examplePost({ text: '**News**: one', url: null }));

    expect(sent().content).toBe('**News**: one');
  });

  it.each([
    [2_000, false],
    [2_001, true],
  ])('of %i characters is cut: %s', async (length, isCut) => {
    const text = `${'🦊 '.repeat(999)}${'x'.repeat(length - 1_998)}`;

    const outcome = await use().publish(examplePost({ text, url: null }));

    expect(outcome.kind).toBe('succeeded');
    expect(String(sent().content).endsWith('…')).toBe(isCut);
  });

  it('is cut by what is sent, and keeps its link', async () => {
    const answer = await use().tryToCompose(examplePost({ text: '* '.repeat(1_000) }));

    expect(answer).toMatchObject({ kind: 'composed', notes: ['the text was cut to 2000 characters'] });
    expect(answer).toMatchObject({
      composed: { message: { content: expect.stringMatching(/…\nhttps:\/\/news\.test\/a\/1\?x=1$/) } },
    });
  });

  it.each([
    [{ url: `https://news.test/${'a'.repeat(2_000)}` }, 'too_long'],
    [{ text: '  ', url: null }, 'invalid_post'],
  ])('that cannot be made fails for good', async (post, code) => {
    const outcome = await use().publish(examplePost(post));

    expect(outcome).toMatchObject({ kind: 'failed', code, isFinal: true, blames: 'article' });
  });
});

describe('a Discord card', () => {
  const card = () => sent().embeds;

  it('bears title, link, summary and picture beside the text', async () => {
    await use({ embed: true }).publish(examplePost({ text: 'New on the blog:' }));

    expect(sent().content).toBe('New on the blog:');
    expect(card()).toEqual([
      {
        title: 'The queue makes headway',
        url: 'https://news.test/a/1?x=1',
        description: 'How it does.',
        image: { url: 'https://news.test/a/1.png' },
      },
    ]);
  });

  it('stands alone where the text is only the title', async () => {
    await use({ embed: true }).publish(examplePost({ text: 'The queue makes headway' }));

    expect(sent()).not.toHaveProperty('content');
    expect(card()).toHaveLength(1);
  });

  it('is the only one, though the link is in the text too', async () => {
    await use({ embed: true }).publish(examplePost({ text: 'See https://news.test/a/1?x=1' }));

    expect(sent().content).toBe('See <https://news.test/a/1?x=1>');
  });

  it('is cut to what it may have', async () => {
    const long = { title: '🦊 '.repeat(200), summary: 'word '.repeat(1_000), text: 'x' };

    const answer = await use({ embed: true }).tryToCompose(examplePost(long));
    const outcome = await use({ embed: true }).publish(examplePost(long));

    expect(answer).toMatchObject({
      notes: ['the summary was cut to 4096 characters', 'the title was cut to 256 characters'],
    });
    expect(outcome.kind).toBe('succeeded');
  });

  it('loses a picture that has no address on the web, and not the post', async () => {
    const answer = await use({ embed: true }).tryToCompose(examplePost({ imageUrl: 'data:,x' }));

    expect(answer).toMatchObject({ notes: ['the picture was left out: its address is not http or https'] });
    expect(JSON.stringify(answer)).not.toContain('data:');
  });

  it.each([{ title: ' ' }, { url: 'magnet:?xt=1' }])(
    'is none without a title, or with a link that is not of the web',
    async post => {
      const outcome = await use({ embed: true }).publish(examplePost(post));

      expect(outcome.kind).toBe('succeeded');
      expect(card()).toBeUndefined();
      expect(sent().content).toContain(post.url ?? 'https://news.test/a/1?x=1');
    },
  );
});

describe('a Discord forum', () => {
  beforeEach(async () => {
    await open.close();
    await start({ isForum: true });
  });

  it('gets a thread for each article', async () => {
    const title = `$& ${'word '.repeat(40)}`;

    const outcome = await use({ threadName: 'News: {{ title }}' }).publish(examplePost({ title }));

    expect(outcome).toMatchObject({ remoteUrl: `${open.url}/channels/3001/8000/9000` });
    expect(sent().thread_name).toMatch(/^News: \$& word .*word…$/);
    expect(String(sent().thread_name).length).toBeLessThanOrEqual(100);
  });

  it('gets them into one thread', async () => {
    await use({ threadId: '77' }).publish(examplePost());

    expect(sent()).toMatchObject({ channel_id: '77' });
  });

  it('is held where no thread is named', async () => {
    const outcome = await use().publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'blocked', scope: 'channel', code: 'rejected', isGone: false });
  });
});

describe('a Discord webhook', () => {
  it('is not posted to once it is gone', async () => {
    fake.remove();

    const outcome = await use().publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'blocked', code: 'not_found', isGone: true });
    expect(open.sent()).toEqual([]);
  });

  it('costs the address of the post, and nothing else, when it cannot be asked', async () => {
    open.plan({ when: 'before', behaviour: { kind: 'reset' }, on: ({ method }) => method === 'GET' });

    const outcome = await use().publish(examplePost());

    expect(outcome).toEqual({ kind: 'succeeded', remoteId: '9000', remoteUrl: null });
  });

  it('leaves a lost answer unknown', async () => {
    open.plan(lostAnswer());

    const outcome = await use().publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'connection_reset' });
    expect(fake.posts()).toHaveLength(1);
  });

  it('is quoted without its token when an error page repeats the address', async () => {
    const behaviour = ({ path }: { path: string }) =>
      jsonAnswer(502, { message: `${'x'.repeat(120)} ${path}` });
    open.plan({ when: 'before', behaviour, on: () => true });

    const outcome = await use().publish(examplePost());
    const findings = await use().check();

    expect(outcome).toMatchObject({ detail: expect.stringContaining('(token)') });
    expect(findings).toMatchObject([{ detail: expect.stringContaining('(token)') }]);
  });

  it('is checked without a post', async () => {
    const good = await use().check();
    fake.remove();
    const gone = await use().check();

    const subject = 'credentials';
    expect(good).toEqual([{ subject, isOk: true, detail: 'webhook News posts into channel 2001' }]);
    expect(gone).toMatchObject([
      { subject, isOk: false, detail: expect.stringContaining('Unknown Webhook') },
    ]);
    expect(open.sent()).toEqual([]);
  });

  it.each(['discord.com/api', 'discordapp.com/api/v9', 'ptb.discord.com/api', 'canary.discord.com/api/v6'])(
    'at %s is the same as by all names, and talked to in the version that is known',
    start => {
      const webhookUrl = `https://${start}/webhooks/12/abc`;

      const destination = discord.destination(discord.settings.parse({ webhookUrl }), null);

      expect(destination).toEqual({ instance: 'https://discord.com', target: '12' });
      expect(readHook(webhookUrl)?.url).toBe('https://discord.com/api/v10/webhooks/12/abc');
    },
  );

  it('is another destination in each thread', () => {
    expect(use({ threadId: '77' }).destination().target).toBe('1098765432109876543/77');
  });
});

describe('Discord settings', () => {
  const webhookUrl = `https://discord.com/api/webhooks/12/${token}`;

  it.each([
    [{}, 'webhookUrl'],
    [{ webhookUrl: `https://discord.com/api/webhooks/12/${token}/slack` }, 'webhookUrl'],
    [{ webhookUrl: `https://discord.com/api/webhooks/12/${token}?thread_id=1` }, 'webhookUrl'],
    [{ webhookUrl: `https://discord.com/api/webhooks/x/${token}` }, 'webhookUrl'],
    [{ webhookUrl: `ftp://discord.com/api/webhooks/12/${token}` }, 'webhookUrl'],
    [{ webhookUrl: `https://me:${token}@discord.com/api/webhooks/12/x` }, 'webhookUrl'],
    [{ webhookUrl, username: 'My Discord bot' }, 'username'],
    [{ webhookUrl, username: 'x'.repeat(81) }, 'username'],
    [{ webhookUrl, username: 'everyone' }, 'username'],
    [{ webhookUrl, threadName: ' ' }, 'threadName'],
    [{ webhookUrl, threadId: 'general' }, 'threadId'],
    [{ webhookUrl, threadId: '1', threadName: 'x' }, 'threadId'],
    [{ webhookUrl, embed: 'yes' }, 'embed'],
  ])('refuse %o, naming the key and no secret', (settings, key) => {
    const parsed = discord.settings.safeParse(settings);

    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual([key]);
    expect(JSON.stringify(parsed.error?.issues)).not.toContain(token);
  });
});
