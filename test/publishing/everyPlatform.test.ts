import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconnectAccount } from '../../src/publishing/reconnectAccount.ts';
import { createBlueskyFake } from '../fakes/bluesky.ts';
import { fakeDiscord } from '../fakes/discord.ts';
import { ghostAdminKey } from '../fakes/ghost/token.ts';
import { fakeGhost } from '../fakes/ghost.ts';
import { createLemmyFake } from '../fakes/lemmy.ts';
import { fakeMastodon } from '../fakes/mastodon.ts';
import { fakeSlack } from '../fakes/slack.ts';
import { fakeTelegram } from '../fakes/telegram.ts';
import { maintenance } from '../fakes/wordpress/answers.ts';
import { wordpressPasswords } from '../fakes/wordpress/users.ts';
import { fakeWordPress } from '../fakes/wordpress.ts';
import { useDatabase } from '../support/database.ts';
import { alertKinds } from '../support/factories.ts';
import {
  jsonAnswer,
  lostAnswer,
  type OpenFake,
  openProtocolFake,
  type ProtocolFake,
} from '../support/protocolFake.ts';
import { openPlatformScene, type PlatformScene } from '../support/realPlatforms.ts';

const database = useDatabase();
const oneDay = 24 * 60;

let scene: PlatformScene;
let world: Awaited<ReturnType<typeof openWorld>>;

/** Eight platforms, each a fake on a port of its own, and the configuration that posts to all of them. */
async function openWorld({ clock }: Pick<PlatformScene, 'clock'>) {
  const now = () => clock.now();
  const fakes = {
    lemmy: createLemmyFake({ clock }),
    mastodon: fakeMastodon({ now, token: 'mastodon-token' }),
    bluesky: createBlueskyFake({ clock }),
    wordpress: fakeWordPress({ now }),
    ghost: fakeGhost({ now }),
    discord: fakeDiscord(),
    slack: fakeSlack(),
    telegram: fakeTelegram(),
  };
  const opened = await Promise.all(
    Object.entries<ProtocolFake>(fakes).map(
      async ([name, fake]) => [name, await openProtocolFake(fake)] as const,
    ),
  );
  const servers = Object.fromEntries(opened) as Record<keyof typeof fakes, OpenFake>;
  const { bluesky, discord, slack, telegram } = fakes;
  const config = `
workspaces:
  - { name: default, dailyCap: none }
accounts:
  - { name: lemmy, platform: lemmy, instance: "${servers.lemmy.url}", username: headway, password: "a password of lemmy" }
  - { name: mastodon, platform: mastodon, instance: "${servers.mastodon.url}", username: bot, token: mastodon-token }
  - { name: bluesky, platform: bluesky, instance: "${servers.bluesky.url}", username: ${bluesky.handle}, appPassword: ${bluesky.appPassword} }
  - { name: wordpress, platform: wordpress, instance: "${servers.wordpress.url}", username: editor, appPassword: "${wordpressPasswords.editor}" }
  - { name: ghost, platform: ghost, instance: "${servers.ghost.url}", adminKey: "${ghostAdminKey}" }
  - { name: telegram, platform: telegram, instance: "${servers.telegram.url}", token: "${telegram.token}" }
channels:
  - { name: lemmy, platform: lemmy, account: lemmy, target: news }
  - { name: mastodon, platform: mastodon, account: mastodon }
  - { name: bluesky, platform: bluesky, account: bluesky }
  - { name: wordpress, platform: wordpress, account: wordpress }
  - { name: ghost, platform: ghost, account: ghost }
  - { name: discord, platform: discord, webhookUrl: "${servers.discord.url}${discord.path}" }
  - { name: slack, platform: slack, webhookUrl: "${servers.slack.url}${slack.path}" }
  - { name: telegram, platform: telegram, account: telegram, target: "@news_channel" }
feeds:
  - { name: blog, url: "https://blog.test/feed.xml" }
routes:
${Object.keys(fakes)
  .map(channel => `  - { feed: blog, channel: ${channel}, approval: auto }`)
  .join('\n')}
`;
  const counts = () =>
    Object.fromEntries(
      Object.entries<ProtocolFake>(fakes).map(([name, fake]) => [name, fake.posts().length]),
    );
  const close = async () => void (await Promise.all(opened.map(([, server]) => server.close())));
  return { fakes, servers, config, counts, close };
}

beforeEach(async () => {
  scene = openPlatformScene(database.db, { startsAt: new Date('2026-09-07T10:00:00Z'), env: {} });
  world = await openWorld(scene);
  await scene.apply(world.config);
});

afterEach(() => world.close());

describe('an article for eight platforms', () => {
  it('is on each of them once, one tick after the other, where all goes well', async () => {
    await scene.article();

    const results = await scene.tickUntilIdle(oneDay);

    expect(results.slice(0, 8).map(({ outcome }) => outcome)).toEqual(Array(8).fill('published'));
    expect(Object.values(world.counts())).toEqual(Array(8).fill(1));
    expect(Object.values(await scene.rows()).map(({ status }) => status)).toEqual(Array(8).fill('published'));
  });

  it('is on each exactly once where it can be, each failing in its own way, the rest with the right reason', async () => {
    const { servers, fakes } = world;
    servers.lemmy.plan({
      when: 'before',
      behaviour: jsonAnswer(400, { error: 'rate_limit_error' }),
      times: 1,
    });
    servers.mastodon.plan(lostAnswer());
    servers.bluesky.plan(lostAnswer('garbage'));
    servers.wordpress.plan({ when: 'before', behaviour: maintenance(), times: 1 });
    fakes.ghost.removeKey();
    fakes.discord.remove();
    fakes.slack.refuse({ status: 400, words: 'invalid_payload' });
    servers.telegram.plan(lostAnswer());
    await scene.article();

    await scene.tickUntilIdle(oneDay);

    expect(world.counts()).toEqual({
      lemmy: 1,
      mastodon: 1,
      bluesky: 1,
      wordpress: 1,
      ghost: 0,
      discord: 0,
      slack: 0,
      telegram: 1,
    });
    const rows = await scene.rows();
    expect(rows).toMatchObject({
      lemmy: { status: 'published', remoteUrl: expect.stringContaining('/post/') },
      mastodon: { status: 'published', remoteUrl: expect.stringContaining(servers.mastodon.url) },
      bluesky: { status: 'published', remoteUrl: expect.stringContaining('bsky.app') },
      wordpress: { status: 'published', remoteUrl: expect.stringContaining(servers.wordpress.url) },
      ghost: { status: 'pending', attempts: 0 },
      discord: { status: 'pending', attempts: 0 },
      slack: { status: 'dead', code: 'rejected', error: expect.stringContaining('invalid_payload') },
      telegram: { status: 'unknown' },
    });
    const reasons = await Promise.all(['ghost', 'discord', 'slack', 'telegram'].map(scene.reason));
    expect(reasons).toEqual(['account_held', 'channel_held', 'dead', 'unknown_outcome']);
  });

  it('waits without an attempt while its account needs attention, and goes out once that is reconnected', async () => {
    world.fakes.mastodon.token = 'another one';
    await scene.article();
    await scene.tickUntilIdle(60);
    const whileRefused = await scene.rows();
    const why = await scene.reason('mastodon');
    world.fakes.mastodon.token = 'mastodon-token';

    const [account] = (await database.db('accounts').where({ name: 'mastodon' })) ?? [];
    const signal = new AbortController().signal;
    const who = { id: account.id, name: 'mastodon', platform: 'mastodon', status: account.status };
    const about = { ...who, workspaceId: account.workspace_id };
    const result = await reconnectAccount(scene.accounts, about, {
      actor: 'ada',
      clock: scene.clock,
      signal,
    });
    await scene.tickUntilIdle(60);

    expect(account.status).toBe('needs_attention');
    expect(whileRefused).toMatchObject({ mastodon: { status: 'pending', attempts: 0 } });
    expect(why).toBe('account_held');
    expect(result).toEqual({ kind: 'reconnected', changed: true });
    expect(Object.values(world.counts())).toEqual(Array(8).fill(1));
    expect(await alertKinds(database.db)).toEqual(['account_down', 'account_up']);
  });
});
