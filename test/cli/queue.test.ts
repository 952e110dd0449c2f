import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { createChannel, createRouteArticle, createWorkspace, routeArticle } from '../support/factories.ts';
import { type Ran, useHeadway } from '../support/headway.ts';

const database = useDatabase();
const program = useHeadway({ databaseUrl: () => database.url });
const { headway } = program;

let workspaceId = 0;
let channelId = 0;

beforeEach(async () => {
  workspaceId = await createWorkspace(database.db, { name: 'default', last_tick_at: new Date() });
  channelId = await openFolder('outbox');
});

type Columns = Readonly<Record<string, unknown>>;

function openFolder(name: string, columns: Columns = {}): Promise<number> {
  const settings = { folder: join(program.folder, name) };
  return createChannel(database.db, workspaceId, { name, platform: 'files', settings, ...columns });
}

const article = (columns: Columns = {}, channel = channelId) =>
  createRouteArticle(database.db, { workspaceId, channelId: channel }, columns);
const queue = (action: string, ...args: (string | number)[]) =>
  headway(['queue', action, ...args.map(String)]);
const stored = (id: number) => routeArticle(database.db, id);
const audited = () => database.db('audit_log').orderBy('id').pluck('action');
const dead = {
  publish_status: 'dead',
  publish_attempts: 4,
  last_error_code: 'rejected',
  last_error: 'HTTP 400',
};

describe('headway queue list', () => {
  it('lists what waits in the order of publishing, each with its reason', async () => {
    const created = { created_at: '2026-09-01T08:00:00Z' };
    const second = await article({ ...created, approval_status: 'pending', title: 'Second' });
    const third = await article({ title: 'Third', created_at: '2026-09-02T08:00:00Z' });
    const first = await article({ title: 'First', priority: 5, created_at: '2026-09-03T08:00:00Z' });
    const ended = await article({ ...dead, title: 'Dead' });

    const [json, table, deadOnes] = await Promise.all([
      queue('list', '--json'),
      queue('list', '--limit', 1),
      queue('list', '--state', 'dead', '--json'),
    ]);

    const rows = json.json();
    expect(rows.map((row: { routeArticleId: number }) => row.routeArticleId)).toEqual([first, second, third]);
    expect(rows[1]).toEqual({
      routeArticleId: second,
      channel: 'outbox',
      feed: null,
      title: 'Second',
      url: expect.stringContaining('https://news.example/'),
      approval: 'pending',
      approvalReason: null,
      state: 'pending',
      reason: 'awaiting_approval',
      until: null,
      next: null,
      detail: null,
      attempts: 0,
      priority: 0,
      createdAt: '2026-09-01T08:00:00.000Z',
      remoteUrl: null,
    });
    expect(rows[0]).toMatchObject({ reason: 'waiting_turn', next: expect.stringMatching(/Z$/) });
    const [head, ...lines] = table.stdout.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['ID', 'CHANNEL', 'TITLE', 'STATE', 'REASON', 'UNTIL', 'TRIES']);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${first} +outbox +First +pending`)),
      'There are more than these 1: --limit shows them.',
    ]);
    expect(deadOnes.json()).toMatchObject([{ routeArticleId: ended, reason: 'dead', detail: 'HTTP 400' }]);
  });

  it('says what a person is asked about, until it is ended', async () => {
    const asked = {
      approval_status: 'pending',
      approval_reason: 'possible_duplicate',
      approval_detail: 'possible duplicate of "First"',
    };
    const waiting = await article({ ...asked, title: 'Waiting' });
    const ended = await article({ ...asked, ...dead, publish_status: 'dead', title: 'Ended' });

    const [json, table, deadOnes] = await Promise.all([
      queue('list', '--json'),
      queue('list'),
      queue('list', '--state', 'dead'),
    ]);

    expect(json.json()).toMatchObject([
      { routeArticleId: waiting, approvalReason: 'possible_duplicate', detail: asked.approval_detail },
    ]);
    expect(table.stdout).toContain('awaiting_approval (possible_duplicate)');
    expect(deadOnes.stdout).toMatch(new RegExp(`${ended} .* dead +- `));
    expect(deadOnes.stdout).not.toContain('possible_duplicate');
  });

  it('says that nothing is there, in words and as an empty list', async () => {
    const [table, json] = await Promise.all([queue('list'), queue('list', '--json')]);

    expect(table).toMatchObject({ exitCode: 0, stdout: 'Nothing here.\n', stderr: '' });
    expect(json.json()).toEqual([]);
  });
});

describe('headway queue explain', () => {
  it('gives one reason, and asks whether a worker runs unless its clock stands still', async () => {
    const lastTickAt = '2026-11-01T10:00:00Z';
    await database.db('workspaces').update({ last_tick_at: lastTickAt });
    const id = await article();

    const [now, then, told, unknown] = await Promise.all([
      queue('explain', id, '--json'),
      queue('explain', id, '--json', '--at', lastTickAt),
      queue('explain', id),
      queue('explain', 999_999_999),
    ]);

    expect(now.json()).toEqual({ state: 'pending', reason: 'no_worker', until: null, next: null });
    expect(then.json()).toEqual({
      state: 'pending',
      reason: 'waiting_turn',
      until: null,
      next: expect.stringMatching(/^2026-11-01T10:0/),
    });
    expect(told.stdout).toContain('no_worker (no tick since 2026-11-01T10:00:00.000Z)');
    expect(unknown).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'There is no article 999999999 in the queue.\n',
    });
  });
});

describe("a person's actions", () => {
  it('approves once, however often it is asked to', async () => {
    const id = await article({ approval_status: 'pending' });

    const once = await queue('approve', id, '--json');
    const twice = await queue('approve', id, '--json');
    const inWords = await queue('approve', id);

    const outcome = { routeArticleId: id, detail: null, state: 'pending', attempts: 0, priority: 0 };
    expect(once.json()).toEqual([{ ...outcome, result: 'changed', approval: 'approved' }]);
    expect(twice.json()).toEqual([{ ...outcome, result: 'unchanged', approval: 'approved' }]);
    expect([once, twice, inWords].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(inWords.stdout).toBe(`Article ${id} was so already.\n`);
    expect(await audited()).toEqual(['approve']);
  });

  it('does what it can of several, and fails with what it could not', async () => {
    const id = await article({ approval_status: 'pending' });
    const gone = await article({ publish_status: 'published', approval_status: 'approved' });

    const ran = await queue('reject', id, 999_999_999, gone);

    expect(ran).toMatchObject({ exitCode: 1, stdout: `Article ${id} rejected.\n` });
    expect(ran.stderr).toContain('There is no article 999999999 in the queue.');
    expect(ran.stderr).toContain(`Article ${gone} was left as it is: it is published`);
    expect(await stored(id)).toMatchObject({ approval_status: 'rejected' });
    expect(await audited()).toEqual(['reject']);
  });

  it('skips for good, moves, edits and tries again', async () => {
    const [skipped, moved, edited, failed] = await Promise.all([
      article(),
      article(),
      article(),
      article({ publish_status: 'failed', publish_attempts: 2, next_attempt_at: '2027-01-01T00:00:00Z' }),
    ]);

    const ran = await Promise.all([
      queue('skip', skipped),
      queue('prioritise', moved, '--priority', '-7'),
      queue('edit', edited, '--title', 'A better title'),
      queue('retry', failed),
      queue('prioritise', moved, '--priority', '40000'),
    ]);

    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 2]);
    expect(await stored(skipped)).toMatchObject({ publish_status: 'skipped', skip_reason: 'by_person' });
    expect(await stored(moved)).toMatchObject({ priority: -7 });
    expect(await stored(edited)).toMatchObject({ title: 'A better title', text: 'A better title' });
    const again = { publish_status: 'pending', publish_attempts: 0, next_attempt_at: null };
    expect(await stored(failed)).toMatchObject(again);
    expect((await audited()).sort()).toEqual(['edit', 'prioritise', 'retry', 'skip']);
  });
});

describe('headway queue publish-now', () => {
  it('publishes past the interval, and then not a second time', async () => {
    await database.db('channels').update({ publish_interval_ms: 3_600_000 });
    const before = await article();
    const id = await article({ title: 'Urgent' });

    await queue('publish-now', before);
    const ran = await queue('publish-now', id, '--json');
    const again = await queue('publish-now', id, '--json');

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.json()).toEqual({
      routeArticleId: id,
      channel: 'outbox',
      outcome: 'published',
      code: null,
      detail: null,
      attempts: 1,
      nextAttemptAt: null,
    });
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toBe(`Article ${id} was not published: it is published\n`);
    const folder = join(program.folder, 'outbox');
    const names = await readdir(folder, { recursive: true });
    expect(names.filter(name => name.includes('-urgent-'))).toHaveLength(1);
    const published = { slot_at: null, state: 'published' };
    expect(await database.db('publications').select('slot_at', 'state')).toEqual([published, published]);
  });

  it('refuses what is not approved, is out already, or may not go out', async () => {
    const paused = await openFolder('paused', { paused: true });
    const published = await article();
    await queue('publish-now', published);
    const { url_key } = await stored(published);
    const refused = {
      awaiting: await article({ approval_status: 'pending' }),
      rejected: await article({ approval_status: 'rejected' }),
      duplicate: await article({ url_key }),
      paused: await article({}, paused),
      dead: await article(dead),
    };

    const ran: Record<string, Ran> = {};
    for (const [name, id] of Object.entries(refused)) ran[name] = await queue('publish-now', id);
    const nothing = await queue('publish-now', 999_999_999);
    await database.db('workspaces').update({ paused: true });
    const stopped = await queue('publish-now', await article());

    const all = [...Object.values(ran), nothing, stopped];
    expect(all.map(({ exitCode, stdout }) => ({ exitCode, stdout }))).toEqual(
      all.map(() => ({ exitCode: 1, stdout: '' })),
    );
    expect(ran.awaiting?.stderr).toContain('it is pending: approve it first');
    expect(ran.rejected?.stderr).toContain('it is rejected: approve it first');
    expect(ran.duplicate?.stderr).toContain('skipped, duplicate');
    expect(ran.paused?.stderr).toContain('paused');
    expect(ran.dead?.stderr).toContain('it is dead');
    expect(nothing.stderr).toContain('There is no article 999999999');
    expect(stopped.stderr).toContain('paused');
    expect(await database.db('publications').pluck('route_article_id')).toEqual([published]);
    expect(await stored(refused.paused)).toMatchObject({ publish_status: 'pending', publish_attempts: 0 });
  });
});

describe('headway dead', () => {
  it('lists what only a person brings back, and brings it back', async () => {
    const one = await article({ ...dead, title: 'One' });
    const two = await article(dead);
    const alive = await article();

    const [list, table, neither, both] = await Promise.all([
      headway(['dead', 'list', '--json']),
      headway(['dead', 'list']),
      headway(['dead', 'retry']),
      headway(['dead', 'retry', String(one), '--all']),
    ]);
    const retried = await headway(['dead', 'retry', String(one)]);
    const all = await headway(['dead', 'retry', '--all', '--json']);
    const none = await headway(['dead', 'list']);

    expect(list.json()).toHaveLength(2);
    expect(list.json()[0]).toEqual({
      routeArticleId: one,
      channel: 'outbox',
      title: 'One',
      url: expect.stringContaining('https://news.example/'),
      attempts: 4,
      code: 'rejected',
      detail: 'HTTP 400',
    });
    expect(table.stdout).toContain('rejected: HTTP 400');
    for (const wrong of [neither, both]) {
      expect(wrong).toMatchObject({ exitCode: 2, stdout: '', stderr: 'Either numbers or --all.\n' });
    }
    expect(retried).toMatchObject({ exitCode: 0, stdout: `Article ${one} will be tried again.\n` });
    expect(all.json()).toMatchObject([{ routeArticleId: two, result: 'changed', state: 'pending' }]);
    expect(none.stdout).toBe('Nothing is dead.\n');
    expect(await stored(alive)).toMatchObject({ publish_status: 'pending' });
    expect(await audited()).toEqual(['retry', 'retry']);
  });
});
