import { expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useHeadway } from '../support/headway.ts';
import { until } from '../support/until.ts';

const database = useDatabase();
const { headway, startHeadway } = useHeadway({ databaseUrl: () => database.url });

const listed = async () => (await headway(['status', '--json'])).json().consumers;

it('lists the workers that run, one that was killed until it counts as gone, and none that only serves', async () => {
  const env = { HEADWAY_LIMIT_LOCK_ASK: '100ms', HEADWAY_LIMIT_LOCK_IDLE: '2s' };
  const [worker, killed, web] = [
    startHeadway('work', { env }),
    startHeadway('start', { env }),
    startHeadway('serve', { env }),
  ];
  await Promise.all([worker, killed, web].map(server => server.logged('started')));
  await until(async () => (await database.db('consumers')).length === 2);

  const running = await listed();
  killed.signal('SIGKILL');
  worker.signal('SIGTERM');
  await Promise.all([killed.ended(), worker.ended()]);
  const left = await database.db('consumers').pluck('role');
  const afterKill = await until(async () => {
    const status = await headway(['status', '--json'], { env });
    const { consumers } = status.json();
    return consumers.every(({ isAlive }: { isAlive: boolean }) => !isAlive) && consumers;
  });

  expect(running).toHaveLength(2);
  expect(running).toEqual(
    expect.arrayContaining(
      ['work', 'start'].map(role =>
        expect.objectContaining({
          role,
          queues: ['publishing', 'ingestion', 'imports', 'enrichment'],
          isAlive: true,
        }),
      ),
    ),
  );
  expect(left).toEqual(['start']);
  expect(afterKill).toMatchObject([{ role: 'start', isAlive: false }]);
}, 60_000);
