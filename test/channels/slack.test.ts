import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slack } from '../../src/channels/slack.ts';
import { type FakeSlack, fakeSlack } from '../fakes/slack.ts';
import { examplePost } from '../support/examplePost.ts';
import { lostAnswer, type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { openChannel } from './openChannel.ts';

let fake: FakeSlack;
let open: OpenFake;

beforeEach(async () => {
  fake = fakeSlack();
  open = await openProtocolFake(fake);
});
afterEach(() => open.close());

const token = fakeSlack().path.split('/').at(-1) ?? '';
const use = (settings: Record<string, unknown> = {}) =>
  openChannel(
    { channel: slack, secrets: [token] },
    { settings: { webhookUrl: `${open.url}${fake.path}`, ...settings } },
  );
const sent = () => fake.messages()[0];

describe('a Slack message', () => {
  it('is text and link, with a preview, as it is written', async () => {
    const outcome = await use().publish(examplePost());

    expect(sent()).toEqual({
      text: 'The queue makes headway, one article at a time.\n<https://news.test/a/1?x=1>',
      mrkdwn: false,
      unfurl_links: true,
      unfurl_media: true,
    });
    expect(outcome).toMatchObject({ kind: 'succeeded', remoteUrl: null });
  });

  it('may use markup and do without previews', async () => {
    await use({ markdown: true, preview: false }).publish(examplePost({ text: '*News*', url: null }));

    expect(sent()).toMatchObject({ text: '*News*', mrkdwn: true, unfurl_links: false, unfurl_media: false });
  });

  it('escapes what would be a command, in text and link alike', async () => {
    const text = 'Q&A <!channel> > all';

    await use().publish(examplePost({ text, url: 'https://news.test/?a=1&b=x|y' }));

    expect(sent()?.text).toBe('Q&amp;A &lt;!channel&gt; &gt; all\n<https://news.test/?a=1&amp;b=x%7Cy>');
  });

  it.each([
    ['x'.repeat(40_000), 40_000],
    ['x'.repeat(40_001), 40_000],
    [`${'&'.repeat(7_999)} &&&&`, 39_996],
  ])('is cut before Slack cuts it, by what is sent (%#)', async (text, length) => {
    const outcome = await use().publish(examplePost({ text, url: null }));

    expect(outcome.kind).toBe('succeeded');
    expect(sent()?.text).toHaveLength(length);
  });

  it.each([
    [{ url: `https://news.test/${'a'.repeat(40_000)}` }, 'too_long'],
    [{ text: '  ', url: null }, 'invalid_post'],
  ])('that cannot be made fails for good', async (post, code) => {
    const outcome = await use().publish(examplePost(post));

    expect(outcome).toMatchObject({ kind: 'failed', code, isFinal: true, blames: 'article' });
  });
});

describe('a Slack webhook', () => {
  it('leaves a lost answer unknown', async () => {
    open.plan(lostAnswer());

    const outcome = await use().publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'connection_reset' });
    expect(fake.posts()).toHaveLength(1);
  });

  it('is quoted without its token when an error page repeats the address', async () => {
    const answer = ({ path }: { path: string }) => ({
      kind: 'answer' as const,
      status: 502,
      body: `${'x'.repeat(150)} ${path}`,
    });
    open.plan({ when: 'before', behaviour: answer });

    const outcome = await use().publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('(token)') });
  });

  it('is named by team and app', () => {
    expect(use().destination()).toEqual({ instance: open.url, target: 'T0TEAM01/B0APP0001' });
  });

  it.each([
    [{}, 'webhookUrl'],
    [{ webhookUrl: `https://hooks.slack.com/services/T0/${token}` }, 'webhookUrl'],
    [{ webhookUrl: `https://hooks.slack.com/triggers/T0/1/${token}` }, 'webhookUrl'],
    [{ webhookUrl: `https://hooks.slack.com/services/T0/B0/${token}?x=1` }, 'webhookUrl'],
    [{ webhookUrl: `https://hooks.slack.com/services/T0/B0/${token}`, preview: 1 }, 'preview'],
  ])('refuses settings such as %o, naming the key and no secret', (settings, key) => {
    const parsed = slack.settings.safeParse(settings);

    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual([key]);
    expect(JSON.stringify(parsed.error?.issues)).not.toContain(token);
  });
});
