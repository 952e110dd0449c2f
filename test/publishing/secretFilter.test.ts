import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../src/channels/registry.ts';
import { createSendRequest } from '../../src/channels/sendRequest.ts';
import { defaultLimits } from '../../src/limits.ts';
import { listAccounts } from '../../src/models/accounts.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import type { CreateSend } from '../../src/publishing/ChannelCalls.ts';
import { reconnectAccount, testAccount } from '../../src/publishing/reconnectAccount.ts';
import { createSecretFilter } from '../../src/publishing/secretFilter.ts';
import { exportConfig } from '../../src/setup/exportConfig.ts';
import { createBlueskyFake } from '../fakes/bluesky.ts';
import { fakeDiscord } from '../fakes/discord.ts';
import { fakeGhost, ghostAdminKey } from '../fakes/ghost.ts';
import { createLemmyFake } from '../fakes/lemmy.ts';
import { fakeMastodon } from '../fakes/mastodon.ts';
import { fakeSlack } from '../fakes/slack.ts';
import { fakeTelegram } from '../fakes/telegram.ts';
import { fakeWordPress, wordpressPasswords } from '../fakes/wordpress.ts';
import { type Process, useAccountScene } from '../support/accountScene.ts';
import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import {
  type Fault,
  jsonAnswer,
  type OpenFake,
  openProtocolFake,
  type ProtocolFake,
} from '../support/protocolFake.ts';
import { recordingLogger } from '../support/recordingLogger.ts';

const scene = useAccountScene();
const { signal } = new AbortController();
const guard = createAddressGuard(['127.0.0.1']);
const createSend: CreateSend = deadlines =>
  createSendRequest({ guard, userAgent: 'Headway/test', limits: defaultLimits, ...deadlines });

const filter = (values: Record<string, unknown>, keys = Object.keys(values)) => {
  const made = createSecretFilter();
  made.learn(values, keys);
  return (detail: string) => made.hideIn({ kind: 'failed', detail }).detail;
};

describe('a secret filter', () => {
  it.each([
    ['a secret', 'token hunter2 is wrong', 'token … is wrong'],
    ['each time', 'hunter2, hunter2', '…, …'],
    ['one of a list', 'old-hunter3 is wrong', '… is wrong'],
    ['as it stands in JSON', '{"password":"a\\"quoted\\" one"}', '{"password":"…"}'],
    ['as it stands in a URL', '?password=a%22quoted%22%20one', '?password=…'],
    ['cut where the answer was', 'HTTP 400: you sent hunte…', 'HTTP 400: you sent …'],
    ['the token of a URL that is one', 'no such hook: /hooks/1/abcdefghijkl', 'no such hook: /hooks/1/…'],
    ['the longer of two', 'hunter2-long', '…'],
    ['no part of a word', 'the cathedral', 'the cathedral'],
    [
      'what is given out',
      'HTTP 200: {"accessJwt": "abc", "did": "x"}',
      'HTTP 200: {"accessJwt": "…", "did": "x"}',
    ],
    ['what is given out, and cut', 'HTTP 200: {"refresh_token":"abc…', 'HTTP 200: {"refresh_token":"…"'],
    ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln is old', '… is old'],
    ['no error about a token', '{"error":"invalid_token"}', '{"error":"invalid_token"}'],
  ])('hides %s', (_, said, shown) => {
    const hide = filter({
      token: 'hunter2',
      list: ['old-hunter3', 'hunter2-long'],
      password: 'a"quoted" one',
      url: 'https://there.example/hooks/1/abcdefghijkl',
      short: 'cat',
    });

    expect(hide(said)).toBe(shown);
  });

  it('learns secret keys, and no other', () => {
    expect(filter({ token: 'hunter2', target: 'community' }, ['token'])('community: hunter2')).toBe(
      'community: …',
    );
  });

  it('learns what a request is authorised with', async () => {
    const made = createSecretFilter();
    const send = made.listen(async () => ({ phase: 'not_sent', failure: 'aborted', detail: '' }));

    await send({
      method: 'GET',
      url: 'https://there.example',
      headers: { Authorization: 'Bearer ey.ab' },
      body: null,
    });

    expect(made.hideIn({ detail: 'Bearer ey.ab is no token' })).toEqual({ detail: 'Bearer … is no token' });
  });

  it('touches words alone, in whatever an answer is made of', () => {
    const made = createSecretFilter();
    made.learn({ token: 'hunter2' }, ['token']);
    const until = new Date(0);
    const refusal = { kind: 'throttled', detail: 'hunter2', until };
    const findings = [{ subject: 'limits', isOk: true, detail: 'hunter2' }];

    const hidden = made.hideIn({
      composed: { text: 'hunter2' },
      notes: ['hunter2'],
      refusal,
      findings,
      detail: null,
    });

    expect(hidden).toEqual({
      composed: { text: 'hunter2' },
      notes: ['…'],
      refusal: { ...refusal, detail: '…' },
      findings: [{ ...findings[0], detail: '…' }],
      detail: null,
    });
  });
});

/** Words its error as each of the platforms does, with all that it was told, the most secret first. */
function echo(status: number) {
  return ({ headers, path, body }: ReceivedRequest): Behaviour => {
    const text = `${headers.authorization ?? ''} ${path} ${body.slice(0, 150)}`;
    const each = { message: text, type: 'ValidationError', code: text };
    return jsonAnswer(status, {
      ok: false,
      error: text,
      error_code: status,
      description: text,
      ...each,
      errors: [each],
    });
  };
}

describe('every platform, where its server repeats what it is told', () => {
  let servers: Record<string, OpenFake> = {};
  let config = '';
  let env: Record<string, string> = {};

  beforeEach(async () => {
    const { clock } = scene;
    const now = () => clock.now();
    const bluesky = createBlueskyFake({ clock });
    const [discord, slack, telegram] = [fakeDiscord(), fakeSlack(), fakeTelegram()];
    const fakes: Record<string, ProtocolFake> = {
      lemmy: createLemmyFake({ clock }),
      mastodon: fakeMastodon({ now, token: 'hunter2-mastodon-token' }),
      bluesky,
      wordpress: fakeWordPress({ now }),
      ghost: fakeGhost({ now }),
      discord,
      slack,
      telegram,
    };
    servers = {};
    for (const [name, fake] of Object.entries(fakes)) servers[name] = await openProtocolFake(fake);
    const at = (name: string) => servers[name]?.url ?? '';
    env = {
      LEMMY: 'a password of lemmy',
      MASTODON: 'hunter2-mastodon-token',
      BLUESKY: bluesky.appPassword,
      WORDPRESS: wordpressPasswords.editor,
      GHOST: ghostAdminKey,
      TELEGRAM: telegram.token,
      DISCORD: `${at('discord')}${discord.path}`,
      SLACK: `${at('slack')}${slack.path}`,
    };
    config = `
accounts:
  - { name: lemmy, platform: lemmy, instance: "${at('lemmy')}", username: headway, password: "\${LEMMY}" }
  - { name: mastodon, platform: mastodon, instance: "${at('mastodon')}", username: bot, token: "\${MASTODON}" }
  - { name: bluesky, platform: bluesky, instance: "${at('bluesky')}", username: ${bluesky.handle}, appPassword: "\${BLUESKY}" }
  - { name: wordpress, platform: wordpress, instance: "${at('wordpress')}", username: editor, appPassword: "\${WORDPRESS}" }
  - { name: ghost, platform: ghost, instance: "${at('ghost')}", adminKey: "\${GHOST}" }
  - { name: telegram, platform: telegram, instance: "${at('telegram')}", token: "\${TELEGRAM}" }
channels:
  - { name: lemmy, platform: lemmy, account: lemmy, target: news }
  - { name: mastodon, platform: mastodon, account: mastodon }
  - { name: bluesky, platform: bluesky, account: bluesky }
  - { name: wordpress, platform: wordpress, account: wordpress }
  - { name: ghost, platform: ghost, account: ghost }
  - { name: discord, platform: discord, webhookUrl: "\${DISCORD}" }
  - { name: slack, platform: slack, webhookUrl: "\${SLACK}" }
  - { name: telegram, platform: telegram, account: telegram, target: "@news_channel" }
`;
  });

  afterEach(async () => {
    await Promise.all(Object.values(servers).map(server => server.close()));
  });

  const planAll = (...faults: readonly Fault[]) => {
    for (const server of Object.values(servers)) server.plan(...faults);
  };

  /** All secrets that there are now: those of the file, and what the sessions hold. */
  async function secrets(): Promise<string[]> {
    const sealed: Buffer[] = await scene.db('accounts').whereNotNull('session').pluck('session');
    const sessions = sealed.map(session => JSON.parse(scene.secretBox.open(session, 'sessions')));
    const tokens = sessions.flatMap(session =>
      Object.entries(session).flatMap(([key, value]) => (/jwt|token/i.test(key) ? String(value) : [])),
    );
    const basic = Buffer.from(`editor:${env.WORDPRESS}`).toString('base64');
    const [discord = '', slack = ''] = [env.DISCORD, env.SLACK].map(url => url?.split('/').at(-1));
    const all = [...Object.values(env), ...tokens, basic, discord, slack, 'eyJ'];
    return all.flatMap(secret => [secret, Buffer.from(secret).toString('hex')]);
  }

  async function dump(): Promise<string> {
    const { rows } = await scene.db.raw(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const lines: string[] = [];
    for (const { name } of rows) {
      const table = await scene.db.raw(`select t::text as line from ${name} t`);
      lines.push(...table.rows.map(({ line }: { line: string }) => line));
    }
    return lines.join('\n');
  }

  async function askEverything(process: Process, workspaceId: number): Promise<unknown> {
    const limits = { clock: scene.clock, signal };
    const said: unknown[] = [await process.tick(workspaceId)];
    scene.clock.advance({ minutes: 30 });
    said.push(await process.tick(workspaceId));
    await scene.db('accounts').update({ status: 'active' });
    for (const account of await listAccounts(scene.db, workspaceId)) {
      said.push(await testAccount(process.accounts, account, limits));
      said.push(
        await reconnectAccount(process.accounts, { ...account, workspaceId }, { actor: 'cli', ...limits }),
      );
    }
    for (const { id } of await scene.db('channels').orderBy('id')) {
      said.push(await (await process.ready(id)).check(limits));
    }
    return said;
  }

  it.each([400, 401, 403, 404, 422, 429, 500, 200])(
    'writes none of it down, in no log, answer or table: %i',
    async status => {
      await scene.apply(config, env, channelRegistry);
      const { id: workspaceId } = await scene.db('workspaces').first();
      await scene.db('workspaces').update({ last_tick_at: '2100-01-01' });
      for (const { id } of await scene.db('channels').orderBy('id')) await scene.article(workspaceId, id);
      const { logger, lines } = recordingLogger();
      const process = scene.process({ logger, channels: channelRegistry, createSend });
      for (const account of await listAccounts(scene.db, workspaceId)) {
        const refusal = await testAccount(process.accounts, account, { clock: scene.clock, signal });
        expect(refusal, account.name).toBeNull();
      }
      // First the posts alone, with their sessions open; then everything.
      planAll({ when: 'before', behaviour: echo(status) });
      const posting = await process.tick(workspaceId);
      const opened = await secrets();
      const reset = { hold_reason: null, hold_detail: null, held_until: null };
      await scene.db('accounts').update({ status: 'active', ...reset });
      await scene.db('channels').update(reset);
      await scene.db('route_articles').update({ next_attempt_at: null });
      planAll({ when: 'before', behaviour: echo(status), on: () => true });
      scene.clock.advance({ minutes: 5 });

      const answers = await askEverything(process, workspaceId);

      const exported = await exportConfig(scene.db, { box: scene.secretBox });
      const tables = await dump();
      const listed = JSON.stringify(await listAccounts(scene.db, workspaceId));
      const told = {
        posting: JSON.stringify(posting),
        answers: JSON.stringify(answers),
        logs: JSON.stringify(lines),
        tables,
        exported,
        listed,
      };
      const all = [...new Set([...opened, ...(await secrets())])];
      const found = Object.entries(told).flatMap(([where, text]) =>
        all
          .filter(secret => text.includes(secret))
          .map(
            secret =>
              `${where}: ${text.slice(Math.max(0, text.indexOf(secret) - 200), text.indexOf(secret) + 60)}`,
          ),
      );
      expect(found).toEqual([]);
      expect(all.length).toBeGreaterThan(24);
      // Their words were written down: it could have been among them.
      expect(tables).toContain('/wp-json/');
    },
  );
});
