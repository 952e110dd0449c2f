import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slotFrom } from '../../src/publishing/slot.ts';
import { useDatabase } from '../support/database.ts';
import { type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { rssFeed } from '../support/feed.ts';
import { useHeadway } from '../support/headway.ts';

const database = useDatabase();
const program = useHeadway({ databaseUrl: () => database.url });
const { headway, write } = program;
const intervalMs = 300_000;
let publisher: FakeReceiver;

beforeAll(async () => {
  publisher = await openFakeReceiver();
  const body = rssFeed([
    { title: 'Second story', id: 2, publishedAt: '2026-09-02T08:00:00Z' },
    { title: 'First story', id: 1, publishedAt: '2026-09-01T08:00:00Z' },
  ]);
  publisher.behave({ kind: 'answer', status: 200, headers: { 'content-type': 'application/rss+xml' }, body });
});

afterAll(() => publisher.close());

const config = () => `
workspaces:
  - { name: default, timezone: Europe/Berlin, dailyCap: 10, tickEvery: 5m }
channels:
  - { name: outbox, platform: files, folder: ./outbox, interval: 15m }
feeds:
  - { name: blog, url: "${publisher.url}/feed.xml", firstImport: all }
routes:
  - { feed: blog, channel: outbox, approval: manual }
`;

/** Instants of the only workspace's slots from 2026-09-07T10:00Z on, as `--at` takes them. */
async function slots(): Promise<(index: number) => string> {
  const [workspace] = await database.db('workspaces').select('id');
  const ticking = { id: Number(workspace.id), tickIntervalMs: intervalMs };
  const first = slotFrom(new Date('2026-09-07T10:00:00Z'), ticking).getTime();
  return index => new Date(first + index * intervalMs).toISOString();
}

describe('a rehearsal on the command line', () => {
  it('goes from a config.yaml to a published file, by a clock that stands still', {
    timeout: 90_000,
  }, async () => {
    const file = await write('config.yaml', config());

    const applied = await headway(['apply', file]);
    const slot = await slots();
    const tickAt = (index: number, ...more: string[]) =>
      headway(['tick', '--at', slot(index), '--json', ...more]);
    expect(applied).toMatchObject({ exitCode: 0, stderr: '' });

    const ingested = await headway(['ingest', '--at', slot(0), '--json']);
    expect(ingested).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ingested.json()).toEqual({
      feeds: [expect.objectContaining({ name: 'blog', outcome: 'read', newArticles: 2, routed: 2 })],
    });

    const waiting = (await headway(['queue', 'list', '--at', slot(0), '--json'])).json();
    expect(waiting).toMatchObject([
      { title: 'First story', channel: 'outbox', feed: 'blog', reason: 'awaiting_approval', until: null },
      { title: 'Second story', reason: 'awaiting_approval' },
    ]);
    const [first, second] = waiting.map((row: { routeArticleId: number }) => String(row.routeArticleId));

    const early = await tickAt(0);
    expect(early.json()).toEqual({
      workspace: 'default',
      at: slot(0),
      slot: slot(0),
      outcome: 'idle',
      reason: 'nothing_due',
      published: null,
      tried: [],
    });

    const approved = await headway(['queue', 'approve', first, second, '--at', slot(1)]);
    expect(approved).toMatchObject({
      exitCode: 0,
      stdout: `Article ${first} approved.\nArticle ${second} approved.\n`,
    });

    const published = await tickAt(1);
    expect(published).toMatchObject({ exitCode: 0, stderr: '' });
    expect(published.json()).toEqual({
      workspace: 'default',
      at: slot(1),
      slot: slot(1),
      outcome: 'published',
      reason: null,
      published: {
        routeArticleId: Number(first),
        channel: 'outbox',
        title: 'First story',
        url: 'https://news.test/a/1',
        remoteUrl: expect.stringContaining('file://'),
      },
      tried: [
        {
          routeArticleId: Number(first),
          channel: 'outbox',
          outcome: 'published',
          code: null,
          detail: null,
          attempts: 1,
          nextAttemptAt: null,
        },
      ],
    });
    const outbox = join(program.folder, 'outbox', '2026', '09');
    const [name = ''] = await readdir(outbox);
    expect(name).toMatch(/^2026-09-07-first-story-[0-9a-f]{8}\.md$/);
    expect(await readFile(join(outbox, name), 'utf8')).toContain('First story');

    const again = await tickAt(1);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.json()).toMatchObject({ outcome: 'idle', reason: 'slot_used', published: null, tried: [] });

    const explained = await headway(['queue', 'explain', second, '--at', slot(2), '--json']);
    expect(explained.json()).toEqual({
      state: 'pending',
      reason: 'channel_interval',
      until: slot(4),
      next: slot(4),
    });

    expect((await tickAt(3)).json()).toMatchObject({ outcome: 'idle', reason: 'nothing_due' });
    expect((await tickAt(4)).json()).toMatchObject({ published: { title: 'Second story' } });
    expect(await readdir(outbox)).toHaveLength(2);

    // A tick by the real clock ends the rehearsals.
    expect((await headway(['tick', '--json'])).json()).toMatchObject({ reason: 'nothing_due' });
    const refused = await Promise.all([tickAt(5), headway(['ingest', '--at', slot(5)])]);
    for (const { exitCode, stdout, stderr } of refused) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain('this database is live');
      expect(stderr).toContain('--force');
    }
    const forced = await tickAt(0, '--force');
    expect(forced).toMatchObject({ exitCode: 0 });
    expect(forced.json()).toMatchObject({ reason: 'slot_used', detail: expect.stringContaining('set back') });
    expect(await headway(['queue', 'list', '--at', slot(5)])).toMatchObject({ exitCode: 0 });
  });

  it('takes the same instant from any offset, wherever the machine is', async () => {
    await headway(['apply', await write('config.yaml', config())]);

    const ticks = await Promise.all(
      [
        ['2026-09-07T10:01:00Z', 'UTC'],
        ['2026-09-07T15:31:00+05:30', 'Asia/Kolkata'],
        ['2026-09-07T07:31:00-0230', 'America/St_Johns'],
      ].map(([at = '', TZ = '']) => headway(['tick', '--at', at, '--json'], { env: { TZ } })),
    );

    const [one, ...others] = ticks.map(tick => tick.json());
    expect(one).toMatchObject({ outcome: 'idle', reason: 'nothing_due' });
    for (const other of others) expect(other).toEqual(one);
  });

  it('fails for a feed that cannot be read, with JSON alone on standard output', async () => {
    const file = await write('config.yaml', config().replace('/feed.xml', '/gone.xml'));
    await headway(['apply', file]);
    publisher.behave({ kind: 'answer', status: 500 });

    const [all, unknown] = await Promise.all([
      headway(['ingest', '--json'], { env: { HEADWAY_LOG_LEVEL: 'debug' } }),
      headway(['ingest', '--feed', 'blgo']),
    ]);

    expect(all.exitCode).toBe(1);
    expect(all.json()).toMatchObject({ feeds: [{ name: 'blog', outcome: 'failed', newArticles: 0 }] });
    const told = all.stderr.trimEnd().split('\n');
    expect(told.pop()).toBe('1 of 1 feeds could not be read.');
    expect(told.length).toBeGreaterThan(0);
    for (const line of told) expect(JSON.parse(line)).toHaveProperty('msg');
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toBe('There is no feed "blgo" (did you mean "blog"?), only: blog\n');
  });
});
