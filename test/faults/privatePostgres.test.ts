import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { type PrivatePostgres, startPrivatePostgres } from './support/privatePostgres.ts';

const segmentBytes = 16 * 1024 * 1024;
let postgres: PrivatePostgres;

beforeAll(async () => {
  postgres = await startPrivatePostgres({ max_connections: '20' });
  await postgres.db.raw('create table kept (filling text)');
});

afterAll(() => postgres.close());

const fill = (rows: number) =>
  postgres.db.raw("insert into kept select repeat('x', 1000) from generate_series(1, ?)", [rows]);
const rowCount = async () => (await postgres.db('kept').pluck('filling')).length;

describe('a PostgreSQL of a test’s own', () => {
  it('is migrated, and takes a setting of the test', async () => {
    const { rows } = await postgres.db.raw('show max_connections');

    expect(rows).toEqual([{ max_connections: '20' }]);
    expect(await postgres.db('workspaces')).toEqual([]);
  });

  it('is gone at once, and back on the same port with what was committed', async () => {
    await fill(1);
    const before = await rowCount();

    await postgres.stopAtOnce();
    await expect(postgres.db.raw('select 1')).rejects.toThrow();
    await postgres.start({ max_connections: '15' });

    await until(async () => (await rowCount()) === before);
    expect((await postgres.db.raw('show max_connections')).rows).toEqual([{ max_connections: '15' }]);
  });

  it('refuses writes while it is read-only', async () => {
    await postgres.setReadOnly(true);
    await until(() =>
      fill(1).then(
        () => false,
        (error: Error) => error.message.includes('read-only'),
      ),
    );

    await postgres.setReadOnly(false);

    await until(() => fill(1).then(() => true));
  });

  it('fails as on a full disk while its files may not grow, and lives on', async () => {
    await postgres.stopAtOnce();
    await postgres.start({}, { maxFileBytes: segmentBytes });
    expect(await endOfGrowth()).toMatch(/could not (extend|write)/);
    expect(await rowCount()).toBeGreaterThan(0);

    await postgres.stopAtOnce();
    await postgres.start();

    await until(() => fill(1).then(() => true));
  });
});

/** Fills the table until the server can no more; its complaint. */
async function endOfGrowth(): Promise<string> {
  let complaint = '';
  const fails = () =>
    fill(2_000).then(
      () => false,
      (error: Error) => {
        complaint = error.message;
        return complaint.includes('could not');
      },
    );
  await until(fails, { timeoutMs: 20_000, intervalMs: 1 });
  return complaint;
}
