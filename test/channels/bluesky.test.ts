import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { standingClock } from '../../src/clock.ts';
import { examplePost } from '../support/examplePost.ts';
import { lostAnswer } from '../support/protocolFake.ts';
import { type OpenBluesky, openBluesky } from './bluesky/openBluesky.ts';
import { sendBy, sendingAt } from './openChannel.ts';

let open: OpenBluesky;

beforeEach(async () => {
  open = await openBluesky();
});

afterEach(() => open.server.close());

const key = '3muw2n4c64e5r';
const place = () => ({
  kind: 'succeeded',
  remoteId: `at://${open.fake.did}/app.bsky.feed.post/${key}`,
  remoteUrl: `https://bsky.app/profile/${open.fake.handle}/post/${key}`,
});

describe('publishing to Bluesky', () => {
  it('puts one record under its own key, where there is none yet', async () => {
    const outcome = await open.user().publish(examplePost());

    expect(outcome).toEqual(place());
    const sent = open.server.sent().map(({ path, body }) => ({ path, ...JSON.parse(body) }));
    expect(sent).toMatchObject([
      { path: '/xrpc/com.atproto.repo.putRecord', repo: open.fake.did, rkey: key, swapRecord: null },
    ]);
  });

  it.each(['reset', 'never_answer', 'garbage'] as const)(
    'makes one post when the answer is lost (%s) and the same is put again',
    async kind => {
      const user = open.user();
      const post = await user.compose(examplePost());
      open.server.plan(lostAnswer(kind));

      const first = await user.send(post);
      const second = await user.send(post, { clock: standingClock(sendBy) });

      expect(first.kind).toBe('unknown');
      expect(second).toEqual(place());
      expect(open.fake.posts()).toHaveLength(1);
    },
  );

  it('takes another record under its key for what it has posted itself', async () => {
    const user = open.user();
    await user.publish(examplePost());

    const outcome = await user.publish(examplePost({ text: 'Edited in the meantime' }));

    expect(outcome).toEqual(place());
    expect(open.fake.posts()).toHaveLength(1);
    expect(open.fake.repository.get(key)?.value).toMatchObject({ text: examplePost().text });
  });

  it('goes without its picture when that was cleared away after the upload', async () => {
    const user = open.user();
    const post = await user.compose(examplePost());
    open.fake.repository.collectBlobs();

    const outcome = await user.send(post);

    expect(outcome).toEqual(place());
    expect(open.fake.repository.get(key)?.value).toMatchObject({
      embed: { external: { uri: 'https://news.test/a/1?x=1', title: 'The queue makes headway' } },
    });
    expect(JSON.stringify(open.fake.repository.get(key))).not.toContain('thumb');
  });

  it('makes one post when the answer to that second request is lost', async () => {
    const user = open.user();
    const post = await user.compose(examplePost());
    open.fake.repository.collectBlobs();
    const isWithoutPicture = ({ path, body }: { path: string; body: string }) =>
      path.endsWith('putRecord') && !body.includes('thumb');
    open.server.plan({ ...lostAnswer(), on: isWithoutPicture });

    const first = await user.send(post);
    const second = await user.send(post);

    expect(first.kind).toBe('unknown');
    expect(second).toEqual(place());
    expect(open.fake.posts()).toHaveLength(1);
  });

  it('goes without a picture of its own that was cleared away', async () => {
    const user = open.user();
    const post = await user.compose(examplePost({ url: null }));
    open.fake.repository.collectBlobs();

    expect((await user.send(post)).kind).toBe('succeeded');
    expect(open.fake.repository.get(key)?.value).not.toHaveProperty('embed');
  });

  it('fails, to be composed anew, where the picture that was cleared away is required', async () => {
    const user = open.user({ image: 'required' });
    const post = await user.compose(examplePost());
    open.fake.repository.collectBlobs();

    const outcome = await user.send(post);

    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'image_unavailable',
      isFinal: false,
      blames: 'article',
    });
    expect(open.fake.posts()).toEqual([]);
  });

  it('fails, too, where no time to send is left when that is known', async () => {
    const user = open.user();
    const post = await user.compose(examplePost());
    open.fake.repository.collectBlobs();
    const instants = [sendingAt, sendingAt, sendingAt];
    const clock = { now: () => instants.shift() ?? new Date(sendBy.getTime() + 1) };

    const outcome = await user.send(post, { clock });

    expect(outcome).toMatchObject({ kind: 'failed', code: 'image_unavailable', isFinal: false });
    expect(open.fake.posts()).toEqual([]);
  });

  it('asks for a new session when its own has expired, at whatever it does', async () => {
    const user = open.user();
    const post = await user.compose(examplePost());
    open.clock.advance({ hours: 3 });

    const expired = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false };
    expect(await user.send(post)).toMatchObject(expired);
    expect(await user.tryToCompose(examplePost())).toMatchObject(expired);
    expect(open.fake.posts()).toEqual([]);
  });

  it('goes on with its session when only the app password was revoked', async () => {
    const user = open.user();
    await user.session();
    open.fake.revokeAppPassword();

    expect((await user.publish(examplePost())).kind).toBe('succeeded');
  });

  it('asks the server that the data lies on, not the one that let it in', async () => {
    const entryway = await openBluesky({ didDoc: didDocAt(open.server.url) });
    await entryway.user().publish(examplePost());

    const asked = (requests: readonly { path: string }[]) =>
      requests.map(({ path }) => path.split('.').at(-1));
    expect(asked(entryway.server.receiver.requests)).toEqual(['createSession']);
    expect(asked(open.server.receiver.requests)).toContain('uploadBlob');
    await entryway.server.close();
  });
});

function didDocAt(serviceEndpoint: string) {
  return { service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }] };
}
