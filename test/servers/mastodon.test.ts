import { afterAll, beforeAll, expect, it } from 'vitest';
import { mastodon } from '../../src/channels/mastodon.ts';
import { openChannel } from '../channels/openChannel.ts';
import { examplePost } from '../support/examplePost.ts';
import { describeServer } from './support/describeServer.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { type Snac, type SnacAccount, startSnac } from './support/startSnac.ts';

// The channel on a server that is no fake: it keeps no keys, turns no pages, and has no words for an error.
describeServer('snac', () => {
  let snac: Snac;
  let proxy: LossyProxy;
  let posts = 0;

  beforeAll(async () => {
    snac = await startSnac();
    proxy = await openLossyProxy(snac.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await snac?.stop();
  });

  const use = (
    { username, accessToken }: SnacAccount,
    { settings = {}, instance = snac.url, name = username } = {},
  ) =>
    openChannel(
      { channel: mastodon, secrets: [accessToken] },
      { settings, account: { instance, username: name, token: accessToken } },
    );
  const nextPost = (changes: object = {}) => {
    posts += 1;
    const postKey = `0d4c5a1e-6b1f-4f6e-9a57-${String(posts).padStart(12, '0')}`;
    return examplePost({ postKey, url: `https://www.example.com/${posts}?a=1&b=2`, ...changes });
  };

  it('publishes with a picture, and finds it there', async () => {
    const user = use(snac.bot, { settings: { contentWarning: 'News' } });
    const post = nextPost();

    const before = await user.findExisting(post);
    const outcome = await user.publish(post);
    const after = await user.findExisting(post);

    expect(before).toEqual({ kind: 'not_found' });
    expect(outcome).toMatchObject({ kind: 'succeeded', remoteUrl: expect.stringContaining(snac.url) });
    expect(after).toMatchObject({ kind: 'found' });
  });

  it.each([
    'A queue that *moves*, with `code` & 1 < 2.\n\n> and a quote',
    'What <b>snac</b> takes for HTML, &amp; a heart <3',
    '# A heading\n- a list, ~~without~~ :shrug: 🐘',
    'A [link](https://www.example.com/in/text) in Markdown #queue',
  ])('finds a post without a link by its text: %o', async text => {
    const user = use(snac.bot);
    const post = nextPost({ url: null, text });
    await user.publish(post);

    expect(await user.findExisting(post)).toMatchObject({ kind: 'found' });
    expect(await user.findExisting(nextPost({ url: null, text: 'Another queue' }))).toEqual({
      kind: 'not_found',
    });
  });

  it('keeps to one post when the answer is lost', async () => {
    const user = use(snac.bot, { instance: proxy.url });
    const composed = await user.compose(nextPost());
    proxy.loseAnswers(({ method }) => method === 'POST');

    const outcome = await user.send(composed);

    expect(outcome.kind).toBe('unknown');
    expect(proxy.lost()).toBe(1);
    expect(await user.lookUp(composed)).toMatchObject({ kind: 'found' });
  });

  it('proves nothing of followers-only posts, which it does not list', async () => {
    const user = use(snac.bot, { settings: { visibility: 'private', image: 'off' } });
    const composed = await user.compose(nextPost());
    await user.send(composed);

    expect(await user.lookUp(composed)).toMatchObject({ kind: 'incomplete' });
  });

  it('says what is wrong with a token', async () => {
    const gone = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true };
    const unknown = use({ ...snac.bot, accessToken: 'a'.repeat(32) });
    const another = use(snac.bot, { name: 'other' });

    expect(await unknown.publish(nextPost())).toMatchObject(gone);
    expect(await another.publish(nextPost())).toMatchObject(gone);
  });

  it('blocks the account once its token is revoked', async () => {
    const user = use(snac.other, { settings: { image: 'off' } });
    const composed = await user.compose(nextPost());
    await snac.other.revokeToken();

    const refused = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false };
    expect(await user.send(composed)).toMatchObject(refused);
    expect(await user.lookUp(composed)).toMatchObject({ kind: 'incomplete', refusal: refused });
  });

  it('checks it', async () => {
    const findings = await use(snac.bot).check();

    expect(findings.filter(({ isOk }) => !isOk)).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({ subject: 'limits', detail: expect.stringContaining('snac/2.75') }),
    );
  });
});
