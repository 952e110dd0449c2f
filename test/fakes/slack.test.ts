import { IncomingWebhook, type IncomingWebhookHTTPError } from '@slack/webhook';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { type FakeSlack, fakeSlack } from './slack.ts';

describe("the fake of Slack, used by Slack's own client", () => {
  let slack: FakeSlack;
  let open: OpenFake;

  beforeEach(async () => {
    slack = fakeSlack();
    open = await openProtocolFake(slack);
  });

  afterEach(() => open.close());

  const hook = (path = slack.path) => new IncomingWebhook(`${open.url}${path}`);
  const refused = (path: string, message = 'x') =>
    hook(path)
      .send(message)
      .catch((error: IncomingWebhookHTTPError) => error);

  it('takes a message and says no more than ok', async () => {
    const result = await hook().send({ text: 'Hello', unfurl_links: true });

    expect(result).toEqual({ text: 'ok' });
    expect(slack.messages()).toEqual([{ text: 'Hello', unfurl_links: true }]);
  });

  it('keeps the same message twice', async () => {
    await hook().send('Hello');
    await hook().send('Hello');

    expect(slack.posts()).toHaveLength(2);
  });

  it('cuts off what is too long without a word', async () => {
    await hook().send('x'.repeat(40_001));

    expect(slack.messages()[0]?.text).toHaveLength(40_000);
  });

  it('refuses what has no text', async () => {
    expect(await refused(slack.path, '')).toMatchObject({ statusCode: 400, body: 'no_text' });
  });

  it.each([
    ['another team', '/services/T0/B0APP0001/x', 404, 'no_team'],
    ['another app', '/services/T0TEAM01/B0/x', 404, 'no_service'],
    ['another token', '/services/T0TEAM01/B0APP0001/x', 403, 'invalid_token'],
  ])('knows no %s', async (_, path, statusCode, body) => {
    expect(await refused(path)).toMatchObject({ statusCode, body });
  });

  it('refuses as it is told to', async () => {
    slack.refuse({ status: 410, words: 'channel_is_archived' });

    expect(await refused(slack.path)).toMatchObject({ statusCode: 410, body: 'channel_is_archived' });
    expect(slack.posts()).toEqual([]);
  });
});
