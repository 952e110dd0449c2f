import { expect, it } from 'vitest';
import { transact } from '../../src/database/transact.ts';
import { hostsToEnrich, markForEnrichment, postponeHost } from '../../src/models/enrichment.ts';
import { useDatabase } from '../support/database.ts';
import { createArticle, createBacklog, createChannel, createWorkspace } from '../support/factories.ts';
import { until } from '../support/until.ts';

const database = useDatabase();
const now = new Date('2026-09-07T12:00:00Z');
const soon = new Date('2026-09-07T12:00:30Z');

it('queues articles at their hosts, once', async () => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const fresh = await createArticle(db, workspaceId);
  const done = await createArticle(db, workspaceId, { enrichment_status: 'done', enrichment_host: 'a.test' });
  const withoutPage = await createArticle(db, workspaceId, { url: null });

  await markForEnrichment(
    db,
    [fresh, done, withoutPage].map(id => ({ id, host: 'b.test:8080' })),
  );

  expect(await db('articles').orderBy('id').select('enrichment_status', 'enrichment_host')).toEqual([
    { enrichment_status: 'pending', enrichment_host: 'b.test:8080' },
    { enrichment_status: 'done', enrichment_host: 'a.test' },
    { enrichment_status: 'none', enrichment_host: null },
  ]);
});

it('lists the hosts of what is due, by their oldest article', async () => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const add = (host: string, columns = {}) =>
    createArticle(db, workspaceId, { enrichment_status: 'pending', enrichment_host: host, ...columns });
  for (const host of ['b.test', 'a.test', 'b.test', 'c.test']) await add(host);
  await add('later.test', { enrichment_next_at: soon });
  await add('now.test', { enrichment_next_at: now });
  await add('done.test', { enrichment_status: 'done' });
  await postponeHost(db, { host: 'c.test', until: soon });

  const hosts = [await hostsToEnrich(db, now), await hostsToEnrich(db, soon)];

  expect(hosts).toEqual([
    ['b.test', 'a.test', 'now.test'],
    ['b.test', 'a.test', 'c.test', 'later.test', 'now.test'],
  ]);
});

it('leaves a host alone for newcomers too, where it asked for that', async () => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const queued = { enrichment_status: 'pending', enrichment_host: 'a.test' };
  await createArticle(db, workspaceId, { ...queued, enrichment_next_at: soon });
  const [same, other] = [await createArticle(db, workspaceId), await createArticle(db, workspaceId)];

  await markForEnrichment(db, [
    { id: same, host: 'a.test' },
    { id: other, host: 'b.test' },
  ]);

  expect(await db('articles').whereIn('id', [same, other]).orderBy('id').pluck('enrichment_next_at')).toEqual(
    [soon, null],
  );
});

it('never brings a postponed article forward', async () => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const queued = { enrichment_status: 'pending', enrichment_host: 'a.test' };
  await createArticle(db, workspaceId, { ...queued, enrichment_next_at: soon });

  await postponeHost(db, { host: 'a.test', until: now });

  expect(await db('articles').pluck('enrichment_next_at')).toEqual([soon]);
});

it('queues thousands at a host where thousands wait, without looking through those for each', async () => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  await createBacklog(db, { workspaceId, channelId: await createChannel(db, workspaceId), count: 10_000 });
  const ids: number[] = await db('articles').orderBy('id').pluck('id');
  const waiting = { enrichment_status: 'pending', enrichment_host: 'a.test' };
  await db('articles').whereIn('id', ids.slice(0, 5_000)).update(waiting);

  const marked = transact(db, async trx => {
    await trx.raw("set local statement_timeout = '2s'");
    await markForEnrichment(
      trx,
      ids.slice(5_000).map(id => ({ id, host: 'a.test' })),
    );
  });

  await expect(marked).resolves.toBeUndefined();
});

it('postpones a host beside a read of its feed that changes the same articles in another order', async () => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const queued = { enrichment_status: 'pending', enrichment_host: 'a.test' };
  const [first, second] = [
    await createArticle(db, workspaceId, queued),
    await createArticle(db, workspaceId, queued),
  ];
  const read = await db.transaction();
  const change = (id: number) => read('articles').where({ id }).update({ title: 'Changed' });
  await change(second);
  const postponed = postponeHost(db, { host: 'a.test', until: soon });
  await until(async () => {
    const { rows } = await db.raw("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
    return rows.length > 0;
  });

  await change(first);
  await read.commit();

  await expect(postponed).resolves.toBeUndefined();
  expect(await db('articles').orderBy('id').pluck('enrichment_next_at')).toEqual([soon, soon]);
});
