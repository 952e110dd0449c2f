import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../../src/ingestion/IngestFeedsJob.ts';
import { ingestionConsumer } from '../../src/ingestion/ingestionConsumer.ts';
import { meddleWith } from '../consumers/meddle.ts';
import { useDatabase } from '../support/database.ts';
import { createFeed } from '../support/factories.ts';
import { rssOf } from './fakeFeeds.ts';
import { feedUrl, ingestionScene } from './scene.ts';

const database = useDatabase();
const interrupted = 'interrupted (consumer restarted)';
const { signal } = new AbortController();

const feedRow = (id: number) => database.db('feeds').where({ id }).first();
const alerts = () => database.db('alerts').orderBy('id');

function claimed(failures = 0) {
  const claimed_at = new Date('2026-09-07T11:00:00Z');
  return { ingest_status: 'fetching', claim_token: randomUUID(), claimed_at, failures };
}

async function interruptedScene(feed: Readonly<Record<string, unknown>> = claimed()) {
  const scene = await ingestionScene(database.db, { feed });
  const { locks, logger, clock } = scene;
  const consumer = ingestionConsumer({ db: database.db, lock: locks.lock, logger, claims: new Map() });
  return { ...scene, recover: () => consumer.recover({ now: clock.now(), signal }) };
}

async function connectionLost(): Promise<never> {
  throw new Error('Connection terminated unexpectedly');
}

describe('recovering feeds at start-up', () => {
  it('picks a feed again at once, the interruption counted as a failure', async () => {
    const next_fetch_at = new Date('2026-09-08T00:00:00Z');
    const before = { ...claimed(1), next_fetch_at, etag: '"a"', last_error: 'timeout' };
    const { recover, feedId, clock, lines } = await interruptedScene(before);

    await recover();

    expect(await feedRow(feedId)).toMatchObject({
      ingest_status: 'idle',
      claim_token: null,
      claimed_at: null,
      status: 'active',
      failures: 2,
      last_error: interrupted,
      next_fetch_at: clock.now(),
      etag: '"a"',
      last_fetched_at: null,
    });
    expect(await alerts()).toEqual([]);
    expect(lines).toMatchObject([{ level: 40, msg: 'feed recovered', feedId, isDue: true }]);
  });

  it('leaves a feed due that has been due for long', async () => {
    const next_fetch_at = new Date('2026-09-07T09:00:00Z');
    const { recover, feedId } = await interruptedScene({ ...claimed(), next_fetch_at });

    await recover();

    expect(await feedRow(feedId)).toMatchObject({ next_fetch_at });
  });

  it('backs a feed off that was interrupted three times in a row, with one alert', async () => {
    const { recover, feedId, clock } = await interruptedScene(claimed(2));

    await recover();
    await database.db('feeds').update(claimed(3));
    await recover();

    expect(await feedRow(feedId)).toMatchObject({
      ingest_status: 'idle',
      status: 'failing',
      failures: 4,
      last_error: interrupted,
      next_fetch_at: new Date(clock.now().getTime() + 4 * 15 * 60_000),
    });
    expect(await alerts()).toMatchObject([
      { kind: 'feed_failing', message: expect.stringContaining(interrupted) },
    ]);
  });

  it('is the same rule that a read applies to what it finds', async () => {
    const { recover, feedId, ingest, world } = await interruptedScene(claimed(2));
    await recover();
    const atStartUp = await feedRow(feedId);
    const asBefore = { ...claimed(2), status: 'active', last_fetched_at: null, last_error: null };
    await database.db('feeds').update({ ...asBefore, next_fetch_at: '2026-01-01T00:00:00Z' });

    const { feeds } = await ingest();

    expect(feeds).toMatchObject([{ outcome: 'failed', detail: interrupted, change: 'failing' }]);
    expect(await feedRow(feedId)).toEqual(atStartUp);
    expect((await alerts()).map(({ message }) => message)).toEqual(
      Array(2).fill((await alerts())[0].message),
    );
    expect(world.requests).toEqual([]);
  });

  it.each([
    ['paused', { paused: true }],
    ['archived', { archived_at: new Date('2026-09-07T11:30:00Z') }],
  ])('recovers a feed that was %s meanwhile', async (_, columns) => {
    const { recover, feedId } = await interruptedScene({ ...claimed(), ...columns });

    expect(await recover()).toBe(1);
    expect(await feedRow(feedId)).toMatchObject({ ...columns, ingest_status: 'idle', failures: 1 });
  });

  it('lets no feed that cannot be recovered hold up another', async () => {
    const { recover, feedId, workspaceId, lines, locks } = await interruptedScene(claimed(2));
    const other = await createFeed(database.db, workspaceId, claimed());
    await database.db.raw('alter table alerts add column broken int not null');

    const recovered = await recover();
    await database.db.raw('alter table alerts drop column broken');

    expect(recovered).toBe(1);
    expect(await feedRow(feedId)).toMatchObject({ ingest_status: 'fetching', failures: 2 });
    expect(await feedRow(other)).toMatchObject({ ingest_status: 'idle' });
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([
      { msg: 'feed could not be recovered', feedId },
    ]);
    expect(locks.held.size).toBe(0);
  });

  it('throws when the database is lost, and leaves no lock behind', async () => {
    const { locks, logger, clock, lines } = await interruptedScene();
    const db = meddleWith(database.db, ['claimed-feeds'], connectionLost);
    const consumer = ingestionConsumer({ db, lock: locks.lock, logger, claims: new Map() });

    await expect(consumer.recover({ now: clock.now(), signal })).rejects.toThrow('Connection terminated');

    expect(lines).toEqual([]);
    expect(locks.held.size).toBe(0);
  });
});

describe('reading feeds while the database is away', () => {
  it('fails as a whole, takes no further feed, and blames none', async () => {
    const { workspaceId, locks, logger, world, clock, lines } = await ingestionScene(database.db);
    for (let n = 0; n < 30; n += 1)
      await createFeed(database.db, workspaceId, { url: `https://host${n}.test/` });
    let claims = 0;
    const db = meddleWith(database.db, ['claim-feed'], () => {
      claims += 1;
      return connectionLost();
    });
    const job = new IngestFeedsJob({ db, lock: locks.lock, fetch: world.fetch, logger });

    await expect(job.handle({}, { clock, signal })).rejects.toThrow('Connection terminated');

    expect(claims).toBeLessThanOrEqual(8);
    expect(lines).toEqual([]);
    expect(world.requests).toEqual([]);
    expect(locks.held.size).toBe(0);
  });

  it('lets those end that were being read', async () => {
    const { workspaceId, feedId, answers, locks, logger, world, clock } = await ingestionScene(database.db);
    await createFeed(database.db, workspaceId, { url: 'https://other.test/' });
    answers.set(feedUrl, { body: rssOf([{ title: 'One', guid: '1' }]) });
    // Which of the two asks first is chance.
    const db = meddleWith(database.db, ['claim-feed'], (run, [id]) =>
      id === feedId ? run() : connectionLost(),
    );
    const job = new IngestFeedsJob({ db, lock: locks.lock, fetch: world.fetch, logger });

    await expect(job.handle({}, { clock, signal })).rejects.toThrow('Connection terminated');

    expect(await database.db('feeds').whereNotNull('last_complete_at').pluck('id')).toEqual([feedId]);
  });
});
