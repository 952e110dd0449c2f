import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { describePublishing } from './support/describePublishing.ts';
import { describeServer } from './support/describeServer.ts';
import { type GhostPost, listGhostPosts } from './support/listGhostPosts.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { openPictureServer } from './support/openPictureServer.ts';
import { openServerScene, type ServerScene, triedIn } from './support/openServerScene.ts';
import { type Ghost, startGhost } from './support/startGhost.ts';

describeServer('ghost', () => {
  let ghost: Ghost;
  let proxy: LossyProxy;

  beforeAll(async () => {
    ghost = await startGhost();
    proxy = await openLossyProxy(ghost.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await ghost?.stop();
  });

  describePublishing(async () => ({
    platform: 'ghost',
    proxy,
    isPost: ({ method, path }) => method === 'POST' && path.startsWith('/ghost/api/admin/posts/'),
    async createAccess() {
      const { adminApiKey: adminKey, revokeAdminApiKey } = await ghost.addIntegration();
      return { account: { adminKey }, revoke: revokeAdminApiKey };
    },
    wrongAccount: { adminKey: `${ghost.adminApiKey.slice(0, 25)}${'ab'.repeat(32)}` },
    settings: {},
    async posts(link) {
      const posts = await listGhostPosts(ghost.url, ghost.adminApiKey);
      return posts.filter(({ canonical_url }) => canonical_url === link).map(shown);
    },
    // Ghost sets line ends and quotes of its own.
    asRead: part => part.replace(/(<[^>]*>)\s+/g, '$1').replaceAll('&quot;', '"'),
    outlivesMinutes: 0,
  }));

  describe('a post on Ghost', () => {
    const database = useDatabase();
    let scene: ServerScene;
    let links = 0;
    let url = '';

    beforeEach(() => {
      proxy.mend();
      scene = openServerScene(database.db);
      links += 1;
      url = `https://news.test/ghost/own/${links}`;
    });

    const apply = (settings: object = {}) => {
      const account = { instance: proxy.url, adminKey: ghost.adminApiKey };
      return scene.apply({ platform: 'ghost', account, settings: { ...settings } });
    };

    async function onlyPost(): Promise<GhostPost> {
      const posts = await listGhostPosts(ghost.url, ghost.adminApiKey);
      const [post, ...others] = posts.filter(({ canonical_url }) => canonical_url === url);
      if (post === undefined || others.length > 0) throw new Error(`${others.length} others are there`);
      return post;
    }

    it('has its picture with the words for it, and the tags of its channel', async () => {
      const picture = await openPictureServer();
      await apply({ tags: ['News & more', '#feed'] });
      await scene.article({ url, imageUrl: picture.url, imageAlt: 'Ein “Deich” & <mehr> 🐘' });

      await scene.tick();
      await picture.close();

      const { feature_image: address, feature_image_alt, tags } = await onlyPost();
      const shownPicture = await fetch(address ?? '');
      expect(feature_image_alt).toBe('Ein “Deich” & <mehr> 🐘');
      expect(shownPicture.headers.get('content-type')).toBe('image/png');
      expect(tags.map(({ name }) => name)).toEqual(['News & more', '#feed']);
    });

    it('is taken when it is as long as it may be', async () => {
      await apply();
      await scene.article({ url, title: '🦊 '.repeat(300), summary: '🦊 '.repeat(300) });

      const tried = triedIn(await scene.tick());

      const { title, custom_excerpt } = await onlyPost();
      expect(tried).toEqual(['published']);
      expect([[...title].length, [...(custom_excerpt ?? '')].length]).toEqual([254, 300]);
    });

    it('is found as a draft when its answer is lost, by an address under which it can be looked at', async () => {
      await apply({ status: 'draft' });
      await scene.article({ url });
      proxy.loseAnswers(({ method, path }) => method === 'POST' && path.includes('/posts/'));

      await scene.tick();
      proxy.mend();
      await scene.nextTick();

      const [queued] = await scene.queue();
      const page = await fetch(queued?.remoteUrl ?? '');
      expect(await onlyPost()).toMatchObject({ status: 'draft', id: queued?.remoteId });
      expect(queued?.status).toBe('published');
      expect(page.status).toBe(200);
    });

    it('waits while a clock is wrong, without a person, and goes out once it is right', async () => {
      await apply();
      await scene.article({ url });
      scene.clock.advance({ hours: -1 });

      const wrong = triedIn(await scene.tick());
      const reason = await scene.reason('channel');
      const right = await scene.nextTick(60);

      expect(wrong).toEqual(['blocked unauthorized']);
      expect(reason).toBe('account_held');
      expect(right).toEqual(['published']);
    });
  });
});

function shown({ url, title, html, custom_excerpt, canonical_url, tags }: GhostPost) {
  return {
    url,
    parts: {
      title,
      html: html ?? '',
      excerpt: custom_excerpt ?? '',
      'canonical URL': canonical_url ?? '',
      tags: tags.map(({ name }) => name).join(', '),
    },
  };
}
