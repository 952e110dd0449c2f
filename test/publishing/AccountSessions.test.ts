import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Post } from '../../src/channels/Channel.ts';
import type { OpenedAccount, SessionRequest } from '../../src/publishing/AccountSessions.ts';
import { createSecretBox, sealSecrets } from '../../src/secrets.ts';
import { unauthorized, wrongPassword } from '../support/accountPlatform.ts';
import { type Process, useAccountScene } from '../support/accountScene.ts';
import { examplePost } from '../support/examplePost.ts';
import { until } from '../support/until.ts';

const scene = useAccountScene();
const minuteMs = 60_000;
const { signal } = new AbortController();
const post: Post = examplePost();

const accountRow = async (id: number) => scene.db('accounts').where({ id }).first();

async function open(process: Process, accountId: number, more: Partial<SessionRequest> = {}) {
  const kind = process.accounts.channels.get('fake')?.account;
  if (!kind) throw new Error('the fake platform has accounts');
  const send = process.accounts.createSend({ clock: scene.clock, sendBy: new Date(8.64e15), signal });
  return process.accounts.sessions.open({ accountId, kind, clock: scene.clock, send, signal, ...more });
}

function sessionOf(opened: OpenedAccount): unknown {
  if (opened.kind !== 'opened') throw new Error(`not opened: ${JSON.stringify(opened)}`);
  return opened.account.session;
}

/** An account whose session has so long to live, as an earlier tick has left it. */
async function accountWithSession(lastsMs: number) {
  const workspaceId = await scene.workspace();
  const accountId = await scene.account(workspaceId);
  const channelId = await scene.channelOf(accountId);
  scene.remote.tokenLastsMs = lastsMs;
  await open(scene.process(), accountId);
  scene.remote.tokenLastsMs = 2 * 60 * minuteMs;
  return { workspaceId, accountId, channelId };
}

/** Publishing, a look-up and a health check of one channel, side by side. */
async function raceIn(process: Process, channelId: number) {
  const { clock } = scene;
  const limits = { clock, signal };
  const now = clock.now();
  const sendBy = new Date(now.getTime() + 10_000);
  const [publisher, searcher, checker] = await Promise.all([1, 2, 3].map(() => process.ready(channelId)));
  const composed = { ...post, composed: null };
  return Promise.all([
    publisher?.send(composed, { ...limits, sendingAt: now, sendBy }),
    searcher?.lookUp({ post: composed, sendingAt: now }, limits),
    checker?.check(limits),
  ]);
}

const allWell = [{ kind: 'succeeded' }, { kind: 'not_found' }, [{ subject: 'credentials', isOk: true }]];

describe('a session that is about to expire', () => {
  it('is refreshed once, though publishing, a look-up and a health check race', async () => {
    const { channelId, accountId } = await accountWithSession(3 * minuteMs);

    const answers = await raceIn(scene.process(), channelId);

    expect(answers).toMatchObject(allWell);
    expect(scene.remote).toMatchObject({ logIns: 1, refreshes: 1, unauthorized: [] });
    expect(await accountRow(accountId)).toMatchObject({ session_revision: 2 });
  });

  it('is refreshed once by two processes that race', async () => {
    const { channelId } = await accountWithSession(3 * minuteMs);
    const [one, two] = [scene.process(), scene.process()];

    const answers = await Promise.all([raceIn(one, channelId), raceIn(two, channelId)]);

    expect(answers).toMatchObject([allWell, allWell]);
    expect(scene.remote).toMatchObject({ logIns: 1, refreshes: 1, unauthorized: [] });
  });

  it.each([
    ['just expired', 0, 1],
    ['a millisecond within the margin', 5 * minuteMs - 1, 1],
    ['exactly at the margin', 5 * minuteMs, 0],
    ['an hour', 60 * minuteMs, 0],
  ])('counts as such five minutes before: %s', async (_, lastsMs, refreshes) => {
    const { accountId } = await accountWithSession(lastsMs);

    await open(scene.process(), accountId);

    expect(scene.remote).toMatchObject({ logIns: 1, refreshes });
  });

  it('is not waited for by an account beside it', async () => {
    const { workspaceId, accountId } = await accountWithSession(0);
    const other = await scene.account(workspaceId);
    const release = scene.remote.holdOpening();
    const process = scene.process();

    const slow = open(process, accountId);
    await until(() => scene.remote.refreshes === 1);
    scene.remote.opening = async () => undefined;
    const opened = await open(process, other);
    release();

    expect(opened.kind).toBe('opened');
    expect((await slow).kind).toBe('opened');
  });
});

describe('a day of posts', () => {
  it('costs 200 of them at most two log-ins', async () => {
    const workspaceId = await scene.workspace();
    const accountId = await scene.account(workspaceId);
    const channelId = await scene.channelOf(accountId);
    for (let n = 0; n < 200; n++) await scene.article(workspaceId, channelId);
    const process = scene.process();

    for (let n = 0; n < 200; n++) {
      await process.tick(workspaceId);
      scene.clock.advance({ minutes: 5 });
    }

    expect(scene.remote.posts).toHaveLength(200);
    expect(scene.remote.logIns).toBeLessThanOrEqual(2);
    expect(scene.remote.unauthorized).toEqual([]);
  }, 120_000);
});

describe('a session that is refused', () => {
  it('is read again where another process has refreshed it, and used, once', async () => {
    const { channelId, accountId } = await accountWithSession(120 * minuteMs);
    const process = scene.process();
    const channel = await process.ready(channelId);
    await channel.openSession({ clock: scene.clock, signal });
    // Another worker refreshes, and the old token is good no more.
    scene.remote.revokeAccess();
    await open(scene.process(), accountId, { refused: 1 });

    const answer = await channel.lookUp(
      { post: { ...post, composed: null }, sendingAt: scene.clock.now() },
      { clock: scene.clock, signal },
    );

    expect(answer).toEqual({ kind: 'not_found' });
    expect(scene.remote).toMatchObject({ logIns: 1, refreshes: 1, unauthorized: ['lookUp'] });
  });

  it.each(['compose', 'findExisting', 'lookUp', 'publish', 'check'] as const)(
    'is renewed once: in %s',
    async what => {
      scene.remote.findExisting = () => ({ kind: 'not_found' });
      const { channelId } = await accountWithSession(120 * minuteMs);
      const channel = await scene.process().ready(channelId);
      const limits = { clock: scene.clock, signal };
      await channel.openSession(limits);
      scene.remote.revokeAccess();
      const now = scene.clock.now();
      const composed = { ...post, composed: null };

      const answer = await {
        compose: () => channel.compose(post, limits),
        findExisting: () => channel.findExisting(post, { ...limits, notBefore: null }),
        lookUp: () => channel.lookUp({ post: composed, sendingAt: now }, limits),
        publish: () =>
          channel.send(composed, { ...limits, sendingAt: now, sendBy: new Date(now.getTime() + 10_000) }),
        check: () => channel.check(limits),
      }[what]();

      expect(JSON.stringify(answer)).not.toMatch(/401|"isOk":false/);
      expect(scene.remote).toMatchObject({ logIns: 1, refreshes: 1, unauthorized: [what] });
    },
  );

  it('asks no third time: refused twice, the account needs a person', async () => {
    const { channelId } = await accountWithSession(120 * minuteMs);
    const channel = await scene.process().ready(channelId);
    const refuse = () => scene.remote.revokeAccess();
    scene.remote.opening = async () => void setImmediate(refuse);
    scene.remote.revokeAccess();

    const answer = await channel.compose(post, { clock: scene.clock, signal });

    expect(answer).toEqual({ ...unauthorized, isGone: true });
    expect(scene.remote).toMatchObject({ refreshes: 1, unauthorized: ['compose', 'compose'] });
  });

  it('leaves a definite refusal of a post definite, where no other session can be opened', async () => {
    const { channelId } = await accountWithSession(120 * minuteMs);
    const channel = await scene.process().ready(channelId);
    await channel.openSession({ clock: scene.clock, signal });
    scene.remote.revokeAccess();
    scene.remote.opening = async () => {
      throw new TypeError('a bug of the platform');
    };
    const now = scene.clock.now();

    const answer = await channel.send(
      { ...post, composed: null },
      { clock: scene.clock, signal, sendingAt: now, sendBy: new Date(now.getTime() + 10_000) },
    );

    expect(answer).toMatchObject({ kind: 'blocked', scope: 'account', code: 'unauthorized' });
    expect(scene.remote.unauthorized).toEqual(['publish']);
  });

  // Else a session that each post is refused with, and that is opened slowly, is given back at every tick, unheard.
  it('leaves it definite, too, where the other session was open only when the time to send was over', async () => {
    const { channelId } = await accountWithSession(120 * minuteMs);
    const channel = await scene.process().ready(channelId);
    await channel.openSession({ clock: scene.clock, signal });
    scene.remote.revokeAccess();
    scene.remote.publish = () => ({ kind: 'not_sent', code: 'send_by_passed', detail: 'too late' });
    const now = scene.clock.now();

    const answer = await channel.send(
      { ...post, composed: null },
      { clock: scene.clock, signal, sendingAt: now, sendBy: new Date(now.getTime() + 10_000) },
    );

    expect(answer).toEqual(unauthorized);
  });
});

describe('a stored session', () => {
  it('stands in no table as plain text', async () => {
    const { workspaceId, channelId } = await accountWithSession(120 * minuteMs);
    await scene.article(workspaceId, channelId);
    await scene.process().tick(workspaceId);
    const { rows: tables } = await scene.db.raw(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );

    const dump: string[] = [];
    for (const { name } of tables) {
      const { rows } = await scene.db.raw(`select t::text as line from ${name} t`);
      dump.push(...rows.map(({ line }: { line: string }) => line));
    }

    const asBytes = Buffer.from('hunter2').toString('hex');
    expect(scene.remote.posts).toHaveLength(1);
    expect(dump.length).toBeGreaterThan(10);
    expect(dump.filter(text => text.includes('hunter2') || text.includes(asBytes))).toEqual([]);
  });

  it('survives a restart', async () => {
    const { accountId } = await accountWithSession(120 * minuteMs);

    const opened = await open(scene.process(), accountId);

    expect(sessionOf(opened)).toMatchObject({ access: 'hunter2-access-1' });
    expect(scene.remote.logIns).toBe(1);
  });

  it.each([
    ['sealed with a key that is gone', () => createSecretBox(randomBytes(32)).seal('{}', 'sessions')],
    ['sealed for another place', () => scene.secretBox.seal('{}', 'accounts')],
    ['of another form', () => scene.secretBox.seal('{"token":"x"}', 'sessions')],
    ['not JSON', () => scene.secretBox.seal('hunter2', 'sessions')],
    ['cut', () => scene.secretBox.seal('{}', 'sessions').subarray(0, 20)],
    ['empty', () => Buffer.alloc(0)],
  ])('that cannot be read is opened anew: %s', async (_, session) => {
    const { accountId } = await accountWithSession(120 * minuteMs);
    await scene.db('accounts').where({ id: accountId }).update({ session: session() });

    const opened = await open(scene.process(), accountId);

    expect(sessionOf(opened)).toMatchObject({ access: 'hunter2-access-2' });
    expect(scene.remote).toMatchObject({ logIns: 2, refreshes: 0 });
    expect((await accountRow(accountId)).session_revision).toBe(2);
  });

  it('does not matter for credentials that cannot be opened: the account is held, at no attempt', async () => {
    const { workspaceId, accountId, channelId } = await accountWithSession(120 * minuteMs);
    const secrets = { password: { value: 'hunter2', from: null } };
    const sealed = sealSecrets(secrets, createSecretBox(randomBytes(32)), 'accounts');
    await scene.db('accounts').where({ id: accountId }).update({ secrets: sealed });
    await scene.article(workspaceId, channelId);

    const result = await scene.process().tick(workspaceId);

    expect(result.tried).toMatchObject([
      { outcome: 'blocked', code: 'unavailable', attempts: 0, detail: expect.stringContaining('SECRET_KEY') },
    ]);
    expect(await accountRow(accountId)).toMatchObject({ hold_reason: 'unavailable', status: 'active' });
  });
});

describe('credentials that change', () => {
  const yaml = `
accounts:
  - { name: bot, platform: fake, username: bot, password: "\${PASSWORD}" }
channels:
  - { name: tech, platform: fake, account: bot }
`;

  async function apply(password: string): Promise<number> {
    await scene.apply(yaml, { PASSWORD: password });
    return (await scene.db('accounts').where({ name: 'bot' }).first()).id;
  }

  it('forget what the old ones have opened', async () => {
    const accountId = await apply('hunter2-password');
    await open(scene.process(), accountId);
    scene.remote.password = 'hunter2-new';

    await apply('hunter2-new');

    const row = await accountRow(accountId);
    expect(row).toMatchObject({ session: null, session_expires_at: null, session_revision: 2 });
    await open(scene.process(), accountId);
    expect(scene.remote).toMatchObject({ logIns: 2, refreshes: 0 });
  });

  it('keep what is open where the file says the same again', async () => {
    const accountId = await apply('hunter2-password');
    await open(scene.process(), accountId);

    await apply('hunter2-password');
    await open(scene.process(), accountId);

    expect(scene.remote.logIns).toBe(1);
  });

  it('are not overwritten by a refresh that ends after them', async () => {
    const accountId = await apply('hunter2-password');
    scene.remote.tokenLastsMs = 0;
    await open(scene.process(), accountId);
    scene.remote.tokenLastsMs = 120 * minuteMs;
    const release = scene.remote.holdOpening();

    const refreshing = open(scene.process(), accountId);
    await until(() => scene.remote.refreshes === 1);
    scene.remote.password = 'hunter2-new';
    await apply('hunter2-new');
    release();

    // What the new ones open is what is used, and kept.
    expect(sessionOf(await refreshing)).toEqual({ access: 'hunter2-access-3', refresh: 'hunter2-refresh-3' });
    expect(scene.remote).toMatchObject({ logIns: 2, refreshes: 1 });
    expect(sessionOf(await open(scene.process(), accountId))).toMatchObject({ access: 'hunter2-access-3' });
  });

  it('are not blamed for the refusal of the old ones, which was still under way', async () => {
    const accountId = await apply('hunter2-old');
    const release = scene.remote.holdOpening();

    const opening = open(scene.process(), accountId);
    await until(() => scene.remote.logIns === 1);
    await apply('hunter2-password');
    release();

    expect((await opening).kind).toBe('opened');
    expect(scene.remote.logIns).toBe(2);
  });
});

describe('opening a session', () => {
  it('answers with what the platform answers', async () => {
    const accountId = await scene.account(await scene.workspace());
    scene.remote.password = 'another';

    expect(await open(scene.process(), accountId)).toEqual(wrongPassword);
    expect(await accountRow(accountId)).toMatchObject({ session: null, session_revision: 0 });
  });

  it('needs an account that is not in the archive', async () => {
    const accountId = await scene.account(await scene.workspace(), { archived_at: new Date('2026-09-01') });

    expect(await open(scene.process(), accountId)).toMatchObject({ kind: 'blocked', code: 'no_account' });
    expect(scene.remote.logIns).toBe(0);
  });

  it('ends with its signal, also while somebody else opens it', async () => {
    const accountId = await scene.account(await scene.workspace());
    const release = scene.remote.holdOpening();
    const first = open(scene.process(), accountId);
    await until(() => scene.remote.logIns === 1);

    const second = await open(scene.process(), accountId, { signal: AbortSignal.timeout(50) });
    release();

    expect(second).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    expect((await first).kind).toBe('opened');
    expect(scene.remote.logIns).toBe(1);
  });

  it('frees its lock whatever the platform does', async () => {
    const accountId = await scene.account(await scene.workspace());
    scene.remote.opening = async () => {
      throw new TypeError('a bug of the platform');
    };
    const process = scene.process();
    await expect(open(process, accountId)).rejects.toThrow('a bug of the platform');
    scene.remote.opening = async () => undefined;

    expect((await open(process, accountId)).kind).toBe('opened');
  });
});
