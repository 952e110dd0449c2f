import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { smallPng } from '../channels/openChannel.ts';
import { useDatabase } from '../support/database.ts';
import { describePublishing } from './support/describePublishing.ts';
import { describeServer } from './support/describeServer.ts';
import { listStatuses, type Status } from './support/listStatuses.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { openPictureServer, type PictureServer } from './support/openPictureServer.ts';
import { openServerScene, type ServerScene, triedIn } from './support/openServerScene.ts';
import { type Snac, startSnac } from './support/startSnac.ts';

describeServer('snac', () => {
  let snac: Snac;
  let proxy: LossyProxy;

  beforeAll(async () => {
    snac = await startSnac();
    proxy = await openLossyProxy(snac.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await snac?.stop();
  });

  describePublishing(async () => ({
    platform: 'mastodon',
    proxy,
    isPost: ({ method, path }) => method === 'POST' && path === '/api/v1/statuses',
    async createAccess() {
      const { accessToken: token, revokeToken } = await snac.bot.createToken();
      return { account: { username: 'bot', token }, revoke: revokeToken };
    },
    wrongAccount: { username: 'bot', token: 'a'.repeat(32) },
    settings: { contentWarning: 'News & more' },
    async posts(link) {
      const statuses = await listStatuses(snac.url, snac.bot.accessToken);
      return statuses.filter(({ text }) => text.endsWith(link)).map(shown);
    },
    outlivesMinutes: 0,
  }));

  describe('a post on snac', () => {
    const database = useDatabase();
    let scene: ServerScene;
    let picture: PictureServer;
    let links = 0;
    let url = '';

    beforeAll(async () => {
      picture = await openPictureServer();
    });

    beforeEach(() => {
      proxy.mend();
      scene = openServerScene(database.db);
      links += 1;
      url = `https://news.test/snac/own/${links}?a=1&b=ü`;
    });

    afterAll(() => picture?.close());

    const apply = (settings: object = {}, template = '{{ title }}\n\n{{ hashtags }}') => {
      const account = { instance: proxy.url, username: '@bot', token: snac.bot.accessToken };
      return scene.apply({ platform: 'mastodon', account, settings: { ...settings }, template });
    };

    async function onlyStatus(): Promise<Status> {
      const statuses = await listStatuses(snac.url, snac.bot.accessToken);
      const [status, ...others] = statuses.filter(({ text }) => text.includes(url));
      if (status === undefined || others.length > 0) throw new Error(`${others.length} others are there`);
      return status;
    }

    it('links to its article, and its hashtags are hashtags', async () => {
      await apply();
      await scene.article({ url, tags: ['Größe', 'machine learning'] });

      await scene.tick();

      const { content, tags } = await onlyStatus();
      expect(content).toContain(`<a href="${url}"`);
      expect(tags.map(({ name }) => name)).toEqual(['größe', 'machinelearning']);
    });

    it('shows its picture with the words for it, and its language', async () => {
      await apply();
      const words = 'Ein Deich & "mehr" 🐘';
      await scene.article({ url, imageUrl: picture.url, imageAlt: words, language: 'de-AT' });

      await scene.tick();

      const { media_attachments: pictures, uri } = await onlyStatus();
      const shownPicture = await fetch(pictures[0]?.url ?? '');
      const note = await fetch(uri, { headers: { accept: 'application/activity+json' } });
      expect(pictures).toMatchObject([{ description: words }]);
      expect(Buffer.from(await shownPicture.arrayBuffer())).toEqual(smallPng);
      expect(Object.keys(Object(await note.json()).contentMap)).toEqual(['de']);
    });

    it('is found by its words when its answer is lost and it has no link', async () => {
      await apply({}, 'No link, but *words* & `more` {{ title }}');
      url = `Words ${links}`;
      await scene.article({ url: null, title: url });
      proxy.loseAnswers(({ method, path }) => method === 'POST' && path === '/api/v1/statuses');

      const lost = triedIn(await scene.tick());
      proxy.mend();
      await scene.nextTick();

      const { url: remoteUrl } = await onlyStatus();
      expect(lost).toEqual(['unknown connection_reset']);
      expect(await scene.queue()).toMatchObject([{ status: 'published', remoteUrl }]);
    });

    it('is left to a person when its answer is lost and it is one that snac does not list', async () => {
      await apply({ visibility: 'private', duplicates: 'off' });
      await scene.article({ url });
      proxy.loseAnswers(({ method, path }) => method === 'POST' && path === '/api/v1/statuses');
      await scene.tick();
      proxy.mend();

      await scene.tickUntilIdle(24 * 60);
      const findings = await scene.check();

      expect(await scene.queue()).toMatchObject([{ status: 'unknown' }]);
      expect(await scene.reason('channel')).toBe('unknown_outcome');
      expect(findings.filter(({ isOk }) => !isOk)).toMatchObject([{ subject: 'visibility' }]);
    });

    it('waits for a person where the token is of another account', async () => {
      const account = { instance: proxy.url, username: 'other', token: snac.bot.accessToken };
      await scene.apply({ platform: 'mastodon', account });
      await scene.article({ url });

      const tried = triedIn(await scene.tick());
      const findings = await scene.check().catch(String);

      expect(tried).toEqual(['blocked unauthorized']);
      expect(await scene.accountStatus()).toBe('needs_attention');
      expect(findings).toContain('its account needs attention');
    });
  });
});

function shown({ url, text, spoiler_text }: Status) {
  return { url, parts: { warning: spoiler_text, text } };
}
