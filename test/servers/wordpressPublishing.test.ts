import { decodeHTML } from 'entities';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { smallPng } from '../channels/openChannel.ts';
import { useDatabase } from '../support/database.ts';
import { describePublishing } from './support/describePublishing.ts';
import { describeServer } from './support/describeServer.ts';
import { askWordPress, listWordPressPosts, type WordPressPost } from './support/listWordPressPosts.ts';
import { type LossyProxy, openLossyProxy, type RequestLine } from './support/openLossyProxy.ts';
import { openPictureServer, type PictureServer } from './support/openPictureServer.ts';
import { openServerScene, type ServerScene, triedIn } from './support/openServerScene.ts';
import { startWordPress, type WordPress } from './support/startWordPress.ts';

describeServer('wordpress', () => {
  let wordpress: WordPress;
  let proxy: LossyProxy;

  beforeAll(async () => {
    wordpress = await startWordPress();
    proxy = await openLossyProxy(wordpress.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await wordpress?.stop();
  });

  describePublishing(async () => ({
    platform: 'wordpress',
    proxy,
    isPost: ({ method, path }) => method === 'POST' && path.startsWith('/wp-json/wp/v2/posts'),
    async createAccess() {
      const { applicationPassword: appPassword, revokeApplicationPassword } =
        await wordpress.editor.createApplicationPassword();
      return { account: { username: 'editor', appPassword }, revoke: revokeApplicationPassword };
    },
    wrongAccount: { username: 'editor', appPassword: 'aaaa bbbb cccc dddd eeee ffff' },
    settings: {},
    async posts(link) {
      const href = `href="${link.replaceAll('&', '&amp;')}"`;
      const posts = await listWordPressPosts(wordpress.url, wordpress.editor);
      return posts.filter(({ content }) => content.raw.includes(href)).map(shown);
    },
    outlivesMinutes: 0,
  }));

  describe('a post on WordPress', () => {
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
      url = `https://news.test/wordpress/own/${links}`;
    });

    afterAll(() => picture?.close());

    const apply = (settings: object = {}, { username, applicationPassword } = wordpress.editor) => {
      const account = { instance: proxy.url, username, appPassword: applicationPassword };
      return scene.apply({ platform: 'wordpress', account, settings: { ...settings } });
    };
    const ask = (path: string, json?: object) =>
      askWordPress(wordpress.url, wordpress.editor, { path, ...(json && { method: 'POST', json }) });

    async function onlyPost(): Promise<WordPressPost> {
      const posts = await listWordPressPosts(wordpress.url, wordpress.editor);
      const [post, ...others] = posts.filter(({ content }) => content.raw.includes(`href="${url}"`));
      if (post === undefined || others.length > 0) throw new Error(`${others.length} others are there`);
      return post;
    }

    async function namesOf(kind: 'tags' | 'categories', ids: readonly number[]): Promise<string[]> {
      const found = await ask(`/${kind}?include=${ids.join(',')}`);
      return z
        .array(named)
        .parse(found)
        .map(({ name }) => name);
    }

    it('is in its categories, with its tags, new ones and known ones', async () => {
      await ask('/categories', { name: 'R&D' });
      await ask('/tags', { name: 'Nähe & mehr' });
      await apply({ categories: ['r&d', 'Uncategorized'] });
      await scene.article({ url, tags: ['NÄHE & MEHR', 'nähe & mehr', `new ${links}`] });

      await scene.tick();

      const post = await onlyPost();
      expect(await namesOf('categories', post.categories)).toEqual(['R&amp;D', 'Uncategorized']);
      expect(await namesOf('tags', post.tags)).toEqual(['Nähe &amp; mehr', `new ${links}`]);
    });

    it('waits, and says so in a check, for a category that the site does not have', async () => {
      await apply({ categories: ['Nowhere'] });
      await scene.article({ url });

      const tried = triedIn(await scene.tick());
      const findings = await scene.check();

      expect(tried).toEqual(['blocked not_found']);
      expect(findings.filter(({ isOk }) => !isOk)).toMatchObject([
        { subject: 'settings', detail: expect.stringContaining('"Nowhere"') },
      ]);
    });

    it('has its picture with the words for it', async () => {
      await apply();
      await scene.article({ url, imageUrl: picture.url, imageAlt: 'A queue & "more" <b> 🐘' });

      await scene.tick();

      const { featured_media: id } = await onlyPost();
      expect(await ask(`/media/${id}`)).toMatchObject({
        alt_text: 'A queue & "more" 🐘',
        mime_type: 'image/png',
        media_details: { width: 1, height: 1, filesize: smallPng.length },
      });
    });

    it('has a picture that is stored once, though the answer to its upload was lost', async () => {
      await apply({ image: 'required' });
      await scene.article({ url, imageUrl: picture.url });
      const isUpload = ({ method, path }: RequestLine) => method === 'POST' && path.includes('/media');
      proxy.loseAnswers(isUpload);

      const first = triedIn(await scene.tick());
      proxy.mend();
      const second = await scene.nextTick();

      const { featured_media: id, slug } = await onlyPost();
      expect([first, second]).toEqual([['failed image_unavailable'], ['published']]);
      expect(await ask(`/media?search=${slug}`)).toMatchObject([{ id }]);
    });

    it('is read as it was written: no shortcode runs, no tag of a feed is one', async () => {
      await apply();
      const title = 'A [gallery] of <script>alert(1)</script> & "more"';
      await scene.article({ url, title, summary: 'With [embed]https://video.test[/embed] <b>in</b> it' });

      await scene.tick();

      const { title: shownTitle, content } = await onlyPost();
      expect(textOf(shownTitle.rendered)).toBe('A [gallery] of <script>alert(1)</script> & “more”');
      expect(textOf(content.rendered)).toContain('With [embed]https://video.test[/embed] <b>in</b> it');
      expect(content.rendered).not.toMatch(/<(b|script|iframe|video)\b/);
    });

    it('is stored as it was sent for an author, whose HTML WordPress cleans', async () => {
      await apply({ content: 'text' }, wordpress.author);
      const title = 'It’s 1 < 2 & 3 > 2: [x] "q" &amp;';
      await scene.article({ url, title });

      const tried = triedIn(await scene.tick());

      const { title: stored, content } = await onlyPost();
      expect(tried).toEqual(['published']);
      expect(textOf(stored.rendered)).toBe('It’s 1 < 2 & 3 > 2: [x] “q” &amp;');
      expect(textOf(content.rendered)).toContain('It’s 1 < 2 & 3 > 2: [x] "q" &amp;');
    });

    it('is handed in by a contributor, who may not publish, and found there when the answer is lost', async () => {
      await apply({ status: 'pending', image: 'off' }, wordpress.contributor);
      await scene.article({ url });
      proxy.loseAnswers(({ method, path }) => method === 'POST' && path.includes('/posts'));

      const lost = triedIn(await scene.tick());
      proxy.mend();
      await scene.nextTick();

      const { status, slug, id } = await onlyPost();
      expect(lost).toEqual(['unknown connection_reset']);
      expect({ status, slug }).toEqual({ status: 'pending', slug: '' });
      expect(await scene.queue()).toMatchObject([{ status: 'published', remoteId: String(id) }]);
    });

    it('waits for a contributor who is to publish, and a check says what right is missing', async () => {
      await apply({}, wordpress.contributor);
      await scene.article({ url });

      const tried = triedIn(await scene.tick());
      const findings = await scene.check();

      expect(tried).toEqual(['blocked forbidden']);
      expect(await scene.queue()).toMatchObject([{ status: 'pending', attempts: 0 }]);
      expect(await scene.accountStatus()).toBe('active');
      expect(findings.filter(({ isOk }) => !isOk)).toMatchObject([
        { subject: 'rights', detail: expect.stringContaining('publish_posts') },
      ]);
    });

    it('is not made again when a person has taken it away before its lost answer was looked up', async () => {
      await apply();
      await scene.article({ url });
      proxy.loseAnswers(({ method, path }) => method === 'POST' && path.includes('/posts'));
      await scene.tick();
      proxy.mend();
      const { id } = await onlyPost();
      await askWordPress(wordpress.url, wordpress.editor, { method: 'DELETE', path: `/posts/${id}` });

      await scene.nextTick();
      await scene.tickUntilIdle(60);

      expect(await scene.queue()).toMatchObject([{ status: 'published', remoteId: String(id) }]);
      await expect(onlyPost()).rejects.toThrow();
    });

    it('is skipped where somebody else has written about the link', async () => {
      const content = `<p>Read this: <a href="${url}/?utm_source=mail">there</a></p>`;
      await ask('/posts', { title: 'By hand', content, status: 'publish' });
      await apply();
      await scene.article({ url });

      const tried = triedIn(await scene.tick());

      expect(tried).toEqual(['skipped already_there']);
    });
  });
});

const named = z.object({ name: z.string() });

/** As people read it. */
function textOf(html: string): string {
  return decodeHTML(html.replace(/<[^>]*>/g, ''));
}

function shown({ link, title, content, excerpt }: WordPressPost) {
  return { url: link, parts: { title: title.raw, content: content.raw, excerpt: excerpt.raw } };
}
