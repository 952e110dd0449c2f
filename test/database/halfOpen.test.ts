import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, inOneFlight, openDatabase } from '../../src/database/Database.ts';
import { UnitLocks } from '../../src/database/lockConnection.ts';
import { isDatabaseAway, transact } from '../../src/database/transact.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createLogger } from '../../src/logger.ts';
import { type BreakableLink, openBreakableLink } from '../queue/breakableLink.ts';
import { useDatabase } from '../support/database.ts';

const database = useDatabase();
const limits = { ...defaultLimits, databaseConnectMs: 500, databaseAnswerMs: 300, lockAnswerMs: 300 };
/** The limits, and what a busy machine adds. */
const boundMs = 2_500;

let link: BreakableLink;
let db: Database;

beforeEach(async () => {
  link = await openBreakableLink(database.url);
  db = openDatabase(link.url, { maxConnections: 2, limits });
});

afterEach(async () => {
  link.spit();
  await db.destroy();
  await link.cut();
});

async function timed(work: Promise<unknown>): Promise<{ error: unknown; tookMs: number }> {
  const begin = performance.now();
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return { error, tookMs: performance.now() - begin };
}

describe('a connection to PostgreSQL that swallows what is sent', () => {
  it.each([
    ['a statement', () => db.raw('select 1')],
    ['a transaction', () => transact(db, trx => trx.raw('select 1'))],
    ['one flight', () => inOneFlight(db, flight => flight.send({ text: 'select 1' }))],
  ])('ends %s with an error, and is not used again', async (_what, work) => {
    await work();
    link.swallow();

    const { error, tookMs } = await timed(work());
    // The other way round: the pool would hand out the same connection, and the network works again.
    link.spit();
    const after = await timed(work());

    expect(isDatabaseAway(error)).toBe(true);
    expect(tookMs).toBeLessThan(boundMs);
    expect(after.error).toBeNull();
  });

  it('ends every statement of a pool in which all connections hang, and those that wait for one', async () => {
    await Promise.all([db.raw('select 1'), db.raw('select 1')]);
    link.swallow();

    const all = await Promise.all(Array.from({ length: 6 }, () => timed(db.raw('select 1'))));

    expect(all.map(({ error }) => isDatabaseAway(error))).toEqual(Array.from({ length: 6 }, () => true));
    expect(Math.max(...all.map(({ tookMs }) => tookMs))).toBeLessThan(2 * boundMs);
  });

  it('ends a lock that is asked for, aborts those that are held, and gives new ones afterwards', async () => {
    const locks = new UnitLocks({ url: link.url, logger: createLogger('silent'), limits });
    let losses = 0;
    locks.onLost(async () => {
      losses += 1;
    });
    const held = await locks.tryLock('workspace:1');
    link.swallow();

    const { error, tookMs } = await timed(locks.tryLock('workspace:2'));
    link.spit();
    const next = await locks.tryLock('workspace:3');
    const closing = await timed(locks.close());

    expect(isDatabaseAway(error)).toBe(true);
    expect(tookMs).toBeLessThan(boundMs);
    expect(held?.signal.aborted).toBe(true);
    expect(losses).toBe(1);
    expect(next).not.toBeNull();
    expect(closing.tookMs).toBeLessThan(1_500);
  });

  it('lets a long migration take its time', async () => {
    const { withoutLimit } = await import('../../src/database/Database.ts');

    const slept = await transact(db, async trx => {
      await trx.raw('set local statement_timeout = 0');
      return trx.raw('select pg_sleep(0.8)').options(withoutLimit);
    });

    expect(slept.rowCount).toBe(1);
  });
});
