import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/Database.ts';
import { isDatabaseAway, transact } from '../../src/database/transact.ts';
import { useDatabase } from '../support/database.ts';

const database = useDatabase();

const set = (key: string) => database.db('settings').insert({ key, value: '1', updated_at: new Date(0) });
const keys = () => database.db('settings').orderBy('key').pluck('key');

/** An error as the server raises it, from within a transaction. */
function raise(code: string): string {
  return `do $$ begin raise exception 'broken off' using errcode = '${code}'; end $$`;
}

describe('transact', () => {
  it('keeps what its work did, and answers with its result', async () => {
    const result = await transact(database.db, async trx => {
      await trx('settings').insert({ key: 'a', value: '1', updated_at: new Date(0) });
      return 7;
    });

    expect(result).toBe(7);
    expect(await keys()).toEqual(['a']);
  });

  it.each(['40001', '40P01'])(
    'tries again what the server broke off with %s, and keeps it once',
    async code => {
      let tries = 0;

      await transact(database.db, async trx => {
        tries += 1;
        await trx('settings').insert({ key: 'a', value: '1', updated_at: new Date(0) });
        if (tries < 3) await trx.raw(raise(code));
      });

      expect(tries).toBe(3);
      expect(await keys()).toEqual(['a']);
    },
  );

  it('gives up after three tries, with the error of the server and nothing kept', async () => {
    let tries = 0;

    const given = transact(database.db, async trx => {
      tries += 1;
      await trx('settings').insert({ key: 'a', value: '1', updated_at: new Date(0) });
      await trx.raw(raise('40001'));
    });

    await expect(given).rejects.toMatchObject({ code: '40001' });
    expect(tries).toBe(3);
    expect(await keys()).toEqual([]);
  });

  it.each(['23505', '57P01'])('tries nothing else again: %s', async code => {
    let tries = 0;

    const given = transact(database.db, async trx => {
      tries += 1;
      await trx.raw(raise(code));
    });

    await expect(given).rejects.toMatchObject({ code });
    expect(tries).toBe(1);
  });

  it('lets both sides of a real deadlock through', async () => {
    await Promise.all([set('a'), set('b')]);
    let waiting = 0;
    let meet = () => {};
    const bothHoldOne = new Promise<void>(resolve => {
      meet = resolve;
    });
    const touch = (first: string, second: string) =>
      transact(database.db, async trx => {
        await trx('settings')
          .where({ key: first })
          .update({ updated_at: new Date(1) });
        waiting += 1;
        if (waiting === 2) meet();
        await bothHoldOne;
        await trx('settings')
          .where({ key: second })
          .update({ updated_at: new Date(2) });
      });

    await Promise.all([touch('a', 'b'), touch('b', 'a')]);

    expect(waiting).toBe(3);
  });
});

describe('isDatabaseAway', () => {
  const coded = (code: string) => Object.assign(new Error('x'), { code });

  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ENOTFOUND',
    '57P01',
    '57P03',
    '53300',
    '53100',
    '25006',
    '08006',
    '57014',
    '28P01',
  ])('takes %s for an absence', code => {
    expect(isDatabaseAway(coded(code))).toBe(true);
    expect(isDatabaseAway(new Error('the lock could not be asked for', { cause: coded(code) }))).toBe(true);
    expect(isDatabaseAway(new AggregateError([coded(code)]))).toBe(true);
  });

  it.each(['23505', '42P01', '42601', '22P02', '40001', 'ENOENT', 'ERR_ASSERTION'])(
    'takes %s for a fault of ours, or of another place',
    code => {
      expect(isDatabaseAway(coded(code))).toBe(false);
    },
  );

  it('takes what is no error, or has no code, for a fault of ours', () => {
    expect(isDatabaseAway(new TypeError('x is not a function'))).toBe(false);
    expect(isDatabaseAway('ECONNREFUSED')).toBe(false);
    expect(isDatabaseAway(null)).toBe(false);
  });

  it('knows a server that is not there, in a statement and in a transaction', async () => {
    const db = openDatabase('postgres://app@127.0.0.1:1/app');

    const errors = await Promise.all([
      db.raw('select 1').catch(caught),
      transact(db, trx => trx.raw('select 1')).catch(caught),
    ]);
    await db.destroy();

    expect(errors.map(isDatabaseAway)).toEqual([true, true]);
  });

  it('knows a session that is terminated under a transaction, at each of its ends', async () => {
    const terminate = (pid: number) => database.db.raw('select pg_terminate_backend(?)', [pid]);
    const db = openDatabase(database.url);

    const error = await transact(db, async trx => {
      const { rows } = await trx.raw('select pg_backend_pid() as pid');
      await terminate(rows[0].pid);
      await trx.raw('select 1');
    }).catch(caught);
    const idle = await transact(db, async trx => {
      const { rows } = await trx.raw('select pg_backend_pid() as pid');
      await terminate(rows[0].pid);
    }).catch(caught);
    await db.destroy();

    expect([error, idle].map(isDatabaseAway)).toEqual([true, true]);
  });

  it('knows a pool that has no connection to give', async () => {
    const limits = { databaseConnectMs: 200, databaseAnswerMs: 5_000 };
    const db = openDatabase(database.url, { maxConnections: 1, limits });
    const holding = await db.transaction();

    const error = await db.raw('select 1').catch(caught);
    await holding.rollback();
    await db.destroy();

    expect(error).toMatchObject({ name: 'KnexTimeoutError' });
    expect(isDatabaseAway(error)).toBe(true);
  });

  it('knows a statement that the server cancelled because it took too long', async () => {
    const limits = { databaseConnectMs: 5_000, databaseAnswerMs: 100 };
    const db = openDatabase(database.url, { limits });

    const error = await db.raw('select pg_sleep(5)').catch(caught);
    await db.destroy();

    expect(error).toMatchObject({ code: '57014' });
    expect(isDatabaseAway(error)).toBe(true);
  });
});

function caught(error: unknown): unknown {
  return error;
}
