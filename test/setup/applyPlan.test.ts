import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/Database.ts';
import { createSecretBox, unsealSettings } from '../../src/secrets.ts';
import { applyPlan, previewPlan } from '../../src/setup/applyPlan.ts';
import { useDatabase } from '../support/database.ts';
import { exampleConfig, exampleEnv, readText } from './exampleConfig.ts';

const box = createSecretBox(randomBytes(32));
const now = new Date('2026-11-30T12:00:00Z');
const later = new Date('2026-11-30T18:00:00Z');
const test = useDatabase();

function apply(text: string, { at = now, env = exampleEnv as Readonly<Record<string, string>> } = {}) {
  return applyPlan(test.db, readText(text, env), { box, now: at, actor: 'cli' });
}

async function applyAndList(text: string, options: Parameters<typeof apply>[1] = {}) {
  const plan = await apply(text, options);
  return plan
    .filter(({ action }) => action !== 'unchanged')
    .map(({ action, kind, name }) => [action, kind, name]);
}

/** Every row that an apply can touch, to see that nothing changed. */
async function snapshot(db: Database): Promise<string> {
  const tables = ['workspaces', 'accounts', 'channels', 'feeds', 'routes', 'audit_log'];
  return JSON.stringify(await Promise.all(tables.map(table => db(table).orderBy('id'))));
}

const row = (table: string, name: string) => test.db(table).where({ name }).first();
const withoutLine = (pattern: RegExp) => exampleConfig.replace(pattern, '');
const withoutBlog = exampleConfig.replace(/ {2}- \{ (name|feed): blog.*\n/g, '');

describe('applyPlan', () => {
  it('writes what the file says', async () => {
    await apply(exampleConfig);

    const account = await row('accounts', 'bot');
    expect(await row('workspaces', 'default')).toMatchObject({
      timezone: 'Europe/Berlin',
      daily_cap: 10,
      tick_interval_ms: 300_000,
      windows: ['mon-fri 08:00-22:00'],
      paused: false,
      created_at: now,
    });
    expect(account).toMatchObject({ platform: 'lemmy', username: 'bot', status: 'active' });
    expect(await row('channels', 'tech')).toMatchObject({
      instance: 'lemmy.example',
      target: 'technology@lemmy.example',
      account_id: account.id,
      needs_account: true,
      publish_interval_ms: 3_600_000,
      daily_cap: 5,
    });
    expect(await row('feeds', 'blog')).toMatchObject({
      every_ms: 900_000,
      first_import: { mode: 'baseline' },
      max_age_ms: 604_800_000,
      next_fetch_at: now,
    });
    expect(await test.db('routes').first()).toMatchObject({
      approval: 'manual',
      include: ['release'],
      exclude: [],
    });
  });

  it('keeps secrets sealed, and opens them for the channel that publishes', async () => {
    await apply(exampleConfig);

    const hook = await row('channels', 'hook');
    const everything = await test.db.raw(
      `select (select string_agg(c::text, '') from channels c) || (select string_agg(a::text, '') from accounts a)
           || (select string_agg(l::text, '') from audit_log l) as text`,
    );
    expect(hook.settings).toEqual({ url: 'https://hooks.example/in' });
    expect(unsealSettings(hook, box)).toEqual({ url: 'https://hooks.example/in', secret: 'hunter2-hook' });
    expect(everything.rows[0].text).not.toContain('hunter2');
    expect(everything.rows[0].text).not.toContain(Buffer.from('hunter2').toString('hex'));
  });

  it('changes nothing the second time', async () => {
    await apply(exampleConfig);
    const before = await snapshot(test.db);

    expect(await applyAndList(exampleConfig, { at: later })).toEqual([]);
    expect(await snapshot(test.db)).toBe(before);
  });

  it('shows on a dry run what it then does, and writes nothing', async () => {
    const preview = await previewPlan(test.db, readText(exampleConfig), { box });
    const rows = await test.db('workspaces');
    const plan = await apply(exampleConfig);

    expect(rows).toEqual([]);
    expect(plan).toEqual(preview);
  });

  it('changes nothing at all where one thing fails', async () => {
    await apply(exampleConfig);
    const before = await snapshot(test.db);
    // Passes our own checks, and the database refuses it at the very end.
    const setup = readText(exampleConfig.replace('baseline', 'all').replace('priority: 0', 'priority: 7'));
    const broken = { ...setup, routes: setup.routes.map(route => ({ ...route, priority: 99_999 })) };

    await expect(applyPlan(test.db, broken, { box, now: later, actor: 'cli' })).rejects.toThrow('smallint');

    expect(await snapshot(test.db)).toBe(before);
  });

  it('writes who changed what, without secrets', async () => {
    await apply(exampleConfig);
    await apply(exampleConfig.replace('every: 15m', 'every: 5m'), {
      at: later,
      env: { ...exampleEnv, HOOK_SECRET: 'hunter2-new' },
    });

    const entries = await test.db('audit_log').where({ acted_at: later }).orderBy('id');
    expect(entries).toMatchObject([
      {
        actor: 'cli',
        action: 'update',
        subject_type: 'channel',
        detail: { name: 'hook', changes: [{ field: 'secret', from: '(secret)', to: '(secret) changed' }] },
      },
      {
        action: 'update',
        subject_type: 'feed',
        subject_id: (await row('feeds', 'blog')).id,
        workspace_id: (await row('workspaces', 'default')).id,
        detail: { name: 'blog', changes: [{ field: 'every', from: '15m', to: '5m' }] },
      },
    ]);
    expect(await test.db('audit_log').where({ acted_at: now })).toHaveLength(7);
  });

  it('archives what the file leaves out and takes the same rows back', async () => {
    await apply(exampleConfig);
    const feed = await row('feeds', 'blog');

    const archived = await applyAndList(withoutBlog, { at: later });
    const whileAway = await row('feeds', 'blog');
    const again = await applyAndList(withoutBlog, { at: later });
    const restored = await applyAndList(exampleConfig, { at: later });

    expect(archived).toEqual([
      ['archive', 'feed', 'blog'],
      ['archive', 'route', 'blog → tech'],
    ]);
    expect(whileAway).toMatchObject({ id: feed.id, archived_at: later });
    expect(again).toEqual([]);
    expect(restored).toEqual([
      ['restore', 'feed', 'blog'],
      ['restore', 'route', 'blog → tech'],
    ]);
    expect(await row('feeds', 'blog')).toMatchObject({
      id: feed.id,
      archived_at: null,
      next_fetch_at: later,
    });
  });

  it('leaves workspaces alone that the file does not name', async () => {
    await apply('workspaces: [{ name: other }]\nfeeds: [{ name: theirs, url: "https://f.example" }]');

    await apply(exampleConfig);

    expect(await row('feeds', 'theirs')).toMatchObject({ archived_at: null });
  });

  it('makes the workspace of a file that lists none, and later leaves its settings alone', async () => {
    await apply('feeds: [{ name: f, url: "https://f.example" }]');
    await test.db('workspaces').update({ timezone: 'Asia/Tokyo', daily_cap: 3, archived_at: now });

    const plan = await applyAndList('feeds: []', { at: later });

    expect(plan).toEqual([
      ['restore', 'workspace', 'default'],
      ['archive', 'feed', 'f'],
    ]);
    expect(await row('workspaces', 'default')).toMatchObject({
      timezone: 'Asia/Tokyo',
      daily_cap: 3,
      archived_at: null,
    });
  });

  it('lets two channels swap their names', async () => {
    const named = (x: string, y: string) =>
      `channels: [{ name: ${x}, platform: files, folder: /x }, { name: ${y}, platform: files, folder: /y }]`;
    await apply(named('a', 'b'));
    const [before] = await test.db('channels').where({ name: 'a' });

    await apply(named('b', 'a'));

    expect(await row('channels', 'b')).toMatchObject({ id: before.id, settings: { folder: '/x' } });
    expect(await row('channels', 'a')).toMatchObject({ settings: { folder: '/y' } });
  });

  it('takes an archived channel back for its old destination under a name that is in use', async () => {
    const one = (name: string, folder: string) =>
      `channels: [{ name: ${name}, platform: files, folder: ${folder} }]`;
    await apply(one('old', '/y'));
    await apply(one('a', '/x'));
    const old = await row('channels', 'old');

    await apply(one('a', '/y'), { at: later });

    expect(await row('channels', 'a')).toMatchObject({
      id: old.id,
      settings: { folder: '/y' },
      archived_at: null,
    });
    expect(await row('channels', 'a (archived)')).toMatchObject({
      settings: { folder: '/x' },
      archived_at: later,
    });
    expect(await applyAndList(one('a', '/y'))).toEqual([]);
  });

  it('forgets the holds of a channel that moves, and keeps them otherwise', async () => {
    const text = 'channels: [{ name: a, platform: files, folder: x }]';
    const held = { hold_reason: 'write_failed', held_until: later, refusals: 2, breaker_tripped: true };
    await apply(text);
    await test.db('channels').update(held);

    await apply(text.replace(' }', ', interval: 5m }'));
    const kept = await row('channels', 'a');
    await apply(text.replace('folder: x', 'folder: y'));

    expect(kept).toMatchObject(held);
    expect(await row('channels', 'a')).toMatchObject({ hold_reason: null, held_until: null, refusals: 0 });
  });

  it('forgets the holds of a channel whose secret is another, though it is the same place', async () => {
    const text = 'channels: [{ name: a, platform: webhook, url: "https://hooks.test/in", secret: one }]';
    await apply(text);
    await test.db('channels').update({ hold_reason: 'gone', hold_detail: 'HTTP 401', refusals: 2 });

    await apply(text.replace('one', 'another'));

    expect(await row('channels', 'a')).toMatchObject({ hold_reason: null, hold_detail: null, refusals: 0 });
  });

  it('reads a feed with a new URL at once and forgets the validators of the old one', async () => {
    await apply(exampleConfig);
    await test.db('feeds').update({
      etag: '"1"',
      last_modified: 'Mon',
      next_fetch_at: new Date('2026-12-09T00:00:00Z'),
      status: 'gone',
      failures: 3,
      ingest_status: 'fetching',
      claim_token: '00000000-0000-4000-8000-000000000000',
      claimed_at: now,
      first_imported_at: now,
    });

    await apply(exampleConfig.replace('blog.example/feed.xml', 'blog.example/atom.xml'), { at: later });

    expect(await row('feeds', 'blog')).toMatchObject({
      url: 'https://blog.example/atom.xml',
      etag: null,
      last_modified: null,
      next_fetch_at: later,
      status: 'active',
      failures: 0,
      claim_token: null,
      first_imported_at: now,
    });
  });

  it('reads a feed no later than its new interval, and not later than it would have', async () => {
    await apply(exampleConfig);
    const nextIn = async (nextFetchAt: string, every: string) => {
      await test.db('feeds').update({ next_fetch_at: new Date(nextFetchAt), etag: '"1"' });
      await apply(exampleConfig.replace('every: 15m', `every: ${every}`));
      const { next_fetch_at, etag } = await row('feeds', 'blog');
      return [next_fetch_at.toISOString(), etag];
    };

    expect(await nextIn('2026-11-30T12:10:00Z', '1m')).toEqual(['2026-11-30T12:01:00.000Z', '"1"']);
    expect(await nextIn('2026-11-30T12:10:00Z', '2h')).toEqual(['2026-11-30T12:10:00.000Z', '"1"']);
  });

  describe('with accounts', () => {
    const inactive = exampleConfig.replace('username: bot,', 'username: bot, active: false,');
    const hold = () => test.db('channels').where({ name: 'tech' }).update({ hold_reason: 'no_account' });
    const heldFor = async () => (await row('channels', 'tech')).hold_reason;

    it('ends the hold of a channel whose account becomes active, and says so', async () => {
      await apply(inactive);
      await hold();

      await apply(inactive.replace('interval: 60m', 'interval: 61m'));
      const whileInactive = await heldFor();
      await apply(exampleConfig, { at: later });

      expect(whileInactive).toBe('no_account');
      expect(await heldFor()).toBeNull();
      expect(await test.db('audit_log').where({ action: 'lift_hold' })).toMatchObject([
        { subject_type: 'channel', acted_at: later },
      ]);
    });

    it('ends the hold of a channel that gets an active account', async () => {
      await apply(exampleConfig.replace('account: bot, ', ''));
      await hold();

      await apply(exampleConfig);

      expect(await heldFor()).toBeNull();
    });

    it('ends no hold of another reason', async () => {
      await apply(inactive);
      await test
        .db('channels')
        .where({ name: 'tech' })
        .update({ hold_reason: 'rate_limited', held_until: later });

      await apply(exampleConfig);

      expect(await heldFor()).toBe('rate_limited');
    });

    it('goes on asking for attention until the credentials change', async () => {
      await apply(exampleConfig);
      await test
        .db('accounts')
        .update({ status: 'needs_attention', hold_reason: 'unauthorized', refusals: 2 });

      const unchanged = await applyAndList(exampleConfig);
      const before = await row('accounts', 'bot');
      await apply(exampleConfig, { env: { ...exampleEnv, LEMMY_PASSWORD: 'hunter2-new' } });

      expect(unchanged).toEqual([]);
      expect(before).toMatchObject({ status: 'needs_attention', hold_reason: 'unauthorized' });
      expect(await row('accounts', 'bot')).toMatchObject({
        status: 'active',
        hold_reason: null,
        refusals: 0,
      });
    });
  });

  it('lets two applies at once follow one another', async () => {
    const texts = [exampleConfig, withoutLine(/ {2}- \{ name: outbox.*\n/), withoutBlog, exampleConfig];

    await Promise.all(texts.map(text => apply(text)));
    await apply(exampleConfig);

    const counts = await Promise.all(
      ['workspaces', 'accounts', 'channels', 'feeds', 'routes'].map(table => test.db(table).count()),
    );
    expect(counts.map(([counted]) => counted?.count)).toEqual([1, 1, 3, 1, 1]);
    expect(await applyAndList(exampleConfig)).toEqual([]);
  });

  it('refuses a database whose secrets are sealed with another key, and says so', async () => {
    await apply(exampleConfig);
    const setup = readText(exampleConfig);

    const attempt = applyPlan(test.db, setup, { box: createSecretBox(randomBytes(32)), now, actor: 'cli' });

    await expect(attempt).rejects.toThrow('cannot be opened with this HEADWAY_SECRET_KEY');
  });

  it('seals all secrets anew after a lost key, where it is told to', async () => {
    await apply(exampleConfig);
    const newBox = createSecretBox(randomBytes(32));
    const options = { box: newBox, now: later, actor: 'cli' };

    await applyPlan(test.db, readText(exampleConfig), { ...options, reseal: true });

    const again = await applyPlan(test.db, readText(exampleConfig), options);
    expect(again.filter(({ action }) => action !== 'unchanged')).toEqual([]);
  });
});
