import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import { alertKinds } from '../../support/factories.ts';
import type { LossyProxy, RequestLine } from './openLossyProxy.ts';
import { openPictureServer, type PictureServer } from './openPictureServer.ts';
import { openServerScene, type ServerScene, triedIn } from './openServerScene.ts';

/** Credentials that the server has just given. */
export type Access = {
  /** The account's own keys in `config.yaml`, the address of the server left out. */
  account: Readonly<Record<string, string>>;
  revoke(): Promise<void>;
};

/** A post as the server itself gives it out. */
export type PublicPost = {
  /** Where people read it. */
  url: string;
  /** What they read there, by the names of the parts of a preview. */
  parts: Readonly<Record<string, string>>;
};

/** A server that publishing is tried on. */
export type PublishingServer = {
  platform: string;
  /** In front of it. */
  proxy: LossyProxy;
  /** Whether a request is the one that makes something public. */
  isPost(request: RequestLine): boolean;
  /** Credentials that were not given to anybody yet. */
  createAccess(): Promise<Access>;
  /** Such as nobody was ever given. */
  wrongAccount: Readonly<Record<string, string>>;
  settings: Readonly<Record<string, unknown>>;
  /** All posts with this link, asked from the server by its own API. */
  posts(link: string): Promise<readonly PublicPost[]>;
  /** Makes the same of a part of a preview and of a post that differ in nothing that people see. */
  asRead?: (part: string) => string;
  /** How long an open session goes on after its credentials were revoked. */
  outlivesMinutes: number;
};

/** What Headway promises about publishing, from `config.yaml` to a server that is no fake. */
export function describePublishing(open: () => Promise<PublishingServer>): void {
  describe('publishing', () => {
    const database = useDatabase();
    let server: PublishingServer;
    let picture: PictureServer;
    let scene: ServerScene;
    let links = 0;

    beforeAll(async () => {
      [server, picture] = await Promise.all([open(), openPictureServer()]);
    });

    beforeEach(() => {
      server.proxy.mend();
      scene = openServerScene(database.db);
    });

    afterAll(() => picture?.close());

    const newLink = () => {
      links += 1;
      return `https://news.test/${server.platform}/${links}?page=${links}&lang=en`;
    };
    const apply = (account: Access['account'], settings = server.settings) => {
      const { platform, proxy } = server;
      return scene.apply({ platform, account: { instance: proxy.url, ...account }, settings });
    };

    it('shows a post as its preview does, with its picture, and knows where it is', async () => {
      const url = newLink();
      await apply((await server.createAccess()).account);
      const text = {
        title: 'Für „Zwölf“ & <mehr> 👩‍👩‍👧: it’s 2x3 [gallery] *now*',
        summary: 'Zwölf Boxkämpfer <jagen> & "Eva" 🐘\nüber den Deich.',
        tags: ['Größe', 'release notes'],
      };
      await scene.article({ ...text, url, imageUrl: picture.url, imageAlt: 'Ein “Deich” & mehr' });

      const tried = triedIn(await scene.tick());
      const preview = await scene.preview();

      expect(tried).toEqual(['published']);
      const { asRead = part => part } = server;
      const [post, ...others] = await server.posts(url);
      expect(others).toEqual([]);
      expect(Object.entries(post?.parts ?? {}).map(([name, part]) => [name, asRead(part)])).toEqual(
        preview.parts.map(({ name, text }) => [name, asRead(text)]),
      );
      expect(await scene.queue()).toMatchObject([{ status: 'published', attempts: 1, remoteUrl: post?.url }]);
    });

    it('skips a link that it has posted, and one that only the server knows for the same', async () => {
      const url = newLink();
      await apply((await server.createAccess()).account);
      await scene.article({ url });
      await scene.tick();

      await scene.article({ url });
      await scene.article({ url: `${url}&utm_source=feed` });
      const tried = await scene.nextTick();

      expect(tried).toEqual(['skipped duplicate', 'skipped already_there']);
      const [post] = await server.posts(url);
      expect(await scene.queue()).toMatchObject([
        { status: 'published' },
        { status: 'skipped' },
        { status: 'skipped', skipReason: 'already_there' },
      ]);
      expect(await server.posts(url)).toEqual([post]);
    });

    it('has one post on the server when the answer is lost, and finds its address at a later tick', async () => {
      const url = newLink();
      await apply((await server.createAccess()).account);
      await scene.article({ url, imageUrl: picture.url });
      const before = server.proxy.lost();
      server.proxy.loseAnswers(server.isPost);

      const lost = triedIn(await scene.tick());
      const whileUnknown = await scene.queue();
      server.proxy.mend();
      await scene.nextTick();

      const posts = await server.posts(url);
      expect(server.proxy.lost() - before).toBe(1);
      expect(lost).toEqual(['unknown connection_reset']);
      expect(whileUnknown).toMatchObject([{ status: 'unknown', remoteUrl: null }]);
      expect(posts).toHaveLength(1);
      expect(await scene.queue()).toMatchObject([{ status: 'published', remoteUrl: posts[0]?.url }]);
    });

    it('has one post after a lost answer that was lost again when it was repeated, or asked for', async () => {
      const url = newLink();
      await apply((await server.createAccess()).account);
      await scene.article({ url });
      await scene.article({ url: newLink(), title: 'Next in line' });
      server.proxy.loseAnswers(server.isPost);
      await scene.tick();

      server.proxy.loseAnswers(() => true);
      await scene.nextTick();
      const inDoubt = await scene.queue();
      server.proxy.mend();
      await scene.tickUntilIdle(120);

      expect(inDoubt).toMatchObject([{ status: 'unknown' }, { status: 'pending', attempts: 0 }]);
      expect(await server.posts(url)).toHaveLength(1);
      expect(await scene.queue()).toMatchObject([{ status: 'published' }, { status: 'published' }]);
    });

    it('lets articles wait without an attempt for an account whose credentials are wrong, and says so once', async () => {
      const url = newLink();
      await apply(server.wrongAccount);
      await scene.article({ url });
      await scene.article({ url: newLink() });

      const tried = triedIn(await scene.tick());
      const later = await scene.tickUntilIdle(60);

      expect(tried).toEqual(['blocked unauthorized']);
      expect(later.flatMap(triedIn)).toEqual([]);
      expect(await scene.accountStatus()).toBe('needs_attention');
      expect(await scene.queue()).toMatchObject(Array(2).fill({ status: 'pending', attempts: 0 }));
      expect(await scene.reason('channel')).toBe('account_held');
      expect(await alertKinds(database.db)).toEqual(['account_down']);
      expect(await server.posts(url)).toEqual([]);
    });

    it('notices that credentials were revoked between two posts, and goes on with others', async () => {
      const [first, second] = [newLink(), newLink()];
      const access = await server.createAccess();
      await apply(access.account);
      await scene.article({ url: first });
      await scene.tick();
      await scene.article({ url: second });

      await access.revoke();
      const refused = await scene.nextTick(server.outlivesMinutes + 5);
      const status = await scene.accountStatus();
      const again = await scene.reconnect();
      const untilReconnected = await scene.queue();
      await apply((await server.createAccess()).account);
      const tried = await scene.nextTick();

      expect(refused).toEqual(['blocked unauthorized']);
      expect(status).toBe('needs_attention');
      expect(again).toMatchObject({ kind: 'refused' });
      expect(untilReconnected).toMatchObject([{ status: 'published' }, { status: 'pending', attempts: 0 }]);
      expect(tried).toEqual(['published']);
      expect(await server.posts(second)).toHaveLength(1);
      expect(await alertKinds(database.db)).toEqual(['account_down', 'account_up']);
    });

    it('waits with an unknown outcome while its account is refused, and finds it once that is reconnected', async () => {
      const url = newLink();
      const access = await server.createAccess();
      await apply(access.account);
      await scene.article({ url });
      server.proxy.loseAnswers(server.isPost);
      await scene.tick();
      server.proxy.mend();

      await access.revoke();
      await scene.nextTick(server.outlivesMinutes + 5);
      const status = await scene.accountStatus();
      const inDoubt = await scene.queue();
      await apply((await server.createAccess()).account);
      await scene.tickUntilIdle(120);

      const posts = await server.posts(url);
      expect(status).toBe('needs_attention');
      expect(inDoubt).toMatchObject([{ status: 'unknown' }]);
      expect(posts).toHaveLength(1);
      expect(await scene.queue()).toMatchObject([{ status: 'published', remoteUrl: posts[0]?.url }]);
    });

    it('finds all well by a check, and wrong credentials', async () => {
      const access = await server.createAccess();
      await apply(access.account);

      const findings = await scene.check();
      await apply(server.wrongAccount);
      const refused = await scene.check();

      expect(findings.filter(({ isOk }) => !isOk)).toEqual([]);
      expect(findings.map(({ subject }) => subject)).toContain('credentials');
      expect(refused).toMatchObject([{ subject: 'credentials', isOk: false }]);
      expect(JSON.stringify([findings, refused])).not.toContain(secretOf(access));
    });
  });
}

function secretOf({ account: { username: _, ...secrets } }: Access): string {
  const [secret] = Object.values(secrets);
  if (secret === undefined) throw new Error('no secret');
  return secret;
}
