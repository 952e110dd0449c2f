import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { smallPng } from '../channels/openChannel.ts';
import { freePort } from '../faults/support/freePort.ts';
import { useDatabase } from '../support/database.ts';
import { describePublishing } from './support/describePublishing.ts';
import { describeServer } from './support/describeServer.ts';
import { listPdsPosts, type PdsPost } from './support/listPdsPosts.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { openPictureServer, type PictureServer } from './support/openPictureServer.ts';
import { openServerScene, type ServerScene, triedIn } from './support/openServerScene.ts';
import { type Pds, type PdsAccount, startPds } from './support/startPds.ts';

describeServer('pds', () => {
  let pds: Pds;
  let proxy: LossyProxy;
  let accounts = 0;

  beforeAll(async () => {
    // A log-in tells where the account's data lies: there, too, the proxy is to be in between.
    const port = await freePort();
    pds = await startPds({ publicUrl: `http://127.0.0.1:${port}` });
    proxy = await openLossyProxy(pds.url, { port });
  });

  afterAll(async () => {
    await proxy?.close();
    await pds?.stop();
  });

  describePublishing(async () => ({
    platform: 'bluesky',
    proxy,
    isPost: ({ path }) => path.endsWith('/com.atproto.repo.putRecord'),
    async createAccess() {
      const { appPassword, revokeAppPassword } = await pds.account.createAppPassword();
      return { account: { username: pds.account.handle, appPassword }, revoke: revokeAppPassword };
    },
    wrongAccount: { username: pds.account.handle, appPassword: 'aaaa-bbbb-cccc-dddd' },
    settings: { labels: ['graphic-media'], language: 'de' },
    async posts(link) {
      const posts = await listPdsPosts(pds.url, pds.account.did);
      return posts.filter(({ value }) => value.embed?.external?.uri === link).map(shown);
    },
    outlivesMinutes: 120,
  }));

  describe('a post on Bluesky', () => {
    const database = useDatabase();
    let scene: ServerScene;
    let picture: PictureServer;
    let account: PdsAccount;

    beforeAll(async () => {
      picture = await openPictureServer();
    });

    beforeEach(async () => {
      proxy.mend();
      scene = openServerScene(database.db);
      accounts += 1;
      account = await pds.createAccount(`poster${accounts}`);
    });

    afterAll(() => picture?.close());

    const apply = (settings: object = {}, template = '{{ title }}', changes: object = {}) => {
      const { handle: username, appPassword } = account;
      const credentials = { instance: proxy.url, username, appPassword, ...changes };
      return scene.apply({ platform: 'bluesky', account: credentials, settings: { ...settings }, template });
    };

    async function onlyPost(): Promise<PdsPost> {
      const posts = await listPdsPosts(pds.url, account.did);
      const [post] = posts;
      if (post === undefined || posts.length > 1) throw new Error(`${posts.length} posts are there`);
      return post;
    }

    it('has its links and hashtags at the right bytes, behind letters of two and emojis of eighteen', async () => {
      await apply({ link: 'text' }, '👩‍👩‍👧 Größe {{ hashtags }}: {{ url }} „{{ title }}“ #danach');
      await scene.article({
        title: 'Ende',
        url: 'https://news.test/ü/1',
        tags: ['Straße', 'machine learning'],
      });

      await scene.tick();

      const { value } = await onlyPost();
      const text = Buffer.from(value.text, 'utf8');
      const marked = value.facets.map(({ index, features: [feature] }) => ({
        on: text.subarray(index.byteStart, index.byteEnd).toString('utf8'),
        is: feature.uri ?? `#${feature.tag}`,
      }));
      expect(marked).toEqual(
        ['#Straße', '#MachineLearning', 'https://news.test/ü/1', '#danach'].map(on => ({ on, is: on })),
      );
    });

    it('shows its picture with the words for it, and in its language', async () => {
      await apply({ link: 'text', labels: ['nudity'] });
      await scene.article({ imageUrl: picture.url, imageAlt: 'A queue that moves. 🐘', language: 'de-at' });

      await scene.tick();

      const { value } = await onlyPost();
      const [shownPicture] = value.embed?.images ?? [];
      const query = new URLSearchParams({ did: account.did, cid: shownPicture?.image.ref.$link ?? '' });
      const blob = await fetch(`${pds.url}/xrpc/com.atproto.sync.getBlob?${query}`);
      expect(shownPicture?.alt).toBe('A queue that moves. 🐘');
      expect(Buffer.from(await blob.arrayBuffer())).toEqual(smallPng);
      expect(value).toMatchObject({ langs: ['de-AT'], labels: { values: [{ val: 'nudity' }] } });
    });

    it('is taken when it is as long as it may be', async () => {
      await apply({ link: 'both' });
      await scene.article({ title: '👩‍👩‍👧 '.repeat(200), summary: 'Zwölf '.repeat(300) });

      const tried = triedIn(await scene.tick());

      expect(tried).toEqual(['published']);
      const { value } = await onlyPost();
      expect(Buffer.byteLength(value.text)).toBeGreaterThan(2_600);
      expect(value.text).toMatch(/…\n\nhttps:\/\/news\.test\/a\/1$/);
    });

    it('is one record when it is put once more as it was composed, or otherwise', async () => {
      await apply();
      await scene.article();
      await scene.tick();
      const post = await scene.sent();
      const composed = JSON.stringify(post.composed).replace('The queue makes headway', 'Other words');

      const again = await scene.send(post);
      const differing = await scene.send({ ...post, composed: JSON.parse(composed) });

      const { uri, value } = await onlyPost();
      const there = expect.objectContaining({ kind: 'succeeded', remoteId: uri });
      expect([again, differing]).toEqual([there, there]);
      expect(value.text).toBe('The queue makes headway');
    });

    it('goes without its picture when the server has thrown that away', async () => {
      await apply();
      await scene.article({ imageUrl: picture.url });
      await scene.tick();
      const before = await onlyPost();
      const post = await scene.sent();
      const unheard = JSON.parse(JSON.stringify(post.composed).replaceAll('bafkreid', 'bafkreie'));

      const outcome = await scene.send({ ...post, composed: { ...unheard, key: '3lbxxxxxxxx22' } });

      const posts = await listPdsPosts(pds.url, account.did);
      const after = posts.find(({ uri }) => uri.endsWith('3lbxxxxxxxx22'));
      expect(outcome).toMatchObject({ kind: 'succeeded', remoteId: after?.uri });
      expect(before.value.embed?.external?.thumb).toBeDefined();
      expect(after?.value.embed?.external).toEqual({ ...before.value.embed?.external, thumb: undefined });
    });

    it('still goes out by a session whose app password was revoked, until that ends', async () => {
      await apply();
      await scene.article();
      await scene.tick();
      await account.revokeAppPassword();
      await scene.article();
      await scene.article();

      const soon = await scene.nextTick(5);
      const late = await scene.nextTick(115);

      expect(soon).toEqual(['published']);
      expect(late).toEqual(['blocked unauthorized']);
      expect(await listPdsPosts(pds.url, account.did)).toHaveLength(2);
    });

    it('goes out by a session that was refreshed, without another log-in', async () => {
      await apply();
      await scene.article();
      await scene.tick();
      await scene.article();
      // Log-ins are lost; refreshes are not.
      proxy.loseAnswers(({ path }) => path.endsWith('createSession'));

      const tried = await scene.nextTick(118);

      expect(tried).toEqual(['published']);
    });

    it('waits for a person when its account was taken down', async () => {
      await apply();
      await scene.article();
      await scene.tick();
      await account.takeDown();
      await scene.article();

      const tried = await scene.nextTick();

      expect(tried).toEqual(['blocked forbidden']);
      expect(await scene.accountStatus()).toBe('needs_attention');
      expect((await scene.queue())[1]).toMatchObject({ status: 'pending', attempts: 0 });
    });

    it('waits for its owner, who has deactivated the account, and says so in a check', async () => {
      await apply();
      await scene.article();
      await account.deactivate();

      const tried = triedIn(await scene.tick());
      const findings = await scene.check();

      expect(tried).toEqual(['blocked forbidden']);
      expect(await scene.queue()).toMatchObject([{ status: 'pending', attempts: 0 }]);
      expect(findings.filter(({ isOk }) => !isOk)).toMatchObject([
        { subject: 'credentials', detail: 'the account is deactivated' },
      ]);
    });

    it('is warned of by a check of an account that logs in with its own password', async () => {
      await apply({}, '{{ title }}', { appPassword: account.password });

      const findings = await scene.check();

      expect(findings.filter(({ isOk }) => !isOk)).toMatchObject([
        { subject: 'rights', detail: expect.stringContaining('make an app password') },
      ]);
    });
  });

  function shown({ uri, value: { text, langs, labels, embed } }: PdsPost) {
    const { title, description, uri: link } = embed?.external ?? { title: '', description: '', uri: '' };
    return {
      url: `https://bsky.app/profile/${pds.account.handle}/post/${uri.split('/').at(-1)}`,
      parts: {
        text,
        card: [title, description, link].filter(line => line !== '').join('\n'),
        ...(langs && { language: langs.join(', ') }),
        ...(labels && { labels: labels.values.map(({ val }) => val).join(', ') }),
      },
    };
  }
});
