import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { alertKinds } from '../support/factories.ts';
import { until } from '../support/until.ts';
import { runCommand } from './support/command.ts';
import { signalLimitMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { storeKinds, useFaultStores } from './support/stores.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const ticksToSee = 3;

const setBack = ({ lines }: Worker) =>
  lines.filter(({ msg, reason }) => msg === 'tick was idle' && reason === 'slot_used').length;

/** Resolves once some more ticks of the worker have found their slot used. */
async function seesWaits(worker: Worker) {
  const before = setBack(worker);
  await until(() => setBack(worker) >= before + ticksToSee, { timeoutMs: signalLimitMs });
}

/** What a person is told of an article when the clock is so far off. */
async function explained(id: number, offsetMs: number) {
  const at = new Date(systemClock.now().getTime() + offsetMs).toISOString();
  const { stdout } = await runCommand(scene.url, ['queue', 'explain', id, '--json', '--at', at]);
  return JSON.parse(stdout);
}

describe.each(storeKinds)('a clock that is set, with the queues in %s', kind => {
  async function openNews() {
    const workspaceId = await scene.workspace();
    const news = await scene.channel(workspaceId, 'news');
    const env = { HEADWAY_LOG_LEVEL: 'debug' };
    const worker = await scene.worker({ redisUrl: storeOf(kind).redisUrl, clockOffsetMs: 0, env });
    await scene.reached(await scene.article(news), 'published');
    return { news, worker };
  }

  const slotOf = async (id: number): Promise<Date> =>
    (await scene.db('publications').where({ route_article_id: id }).first()).slot_at;

  it('F32 15 minutes back waits visibly, with one alert, and goes on when it is right again', async () => {
    const { news, worker } = await openNews();
    const offsetMs = -15 * minuteMs;

    await worker.shiftClock(offsetMs);
    const id = await scene.article(news);
    await seesWaits(worker);
    const why = await explained(id, offsetMs);
    const waiting = await scene.row(id);
    const alerts = await alertKinds(scene.db);
    await worker.shiftClock(0);
    await scene.reached(id, 'published');

    expect(waiting).toMatchObject({ publish_status: 'pending', publish_attempts: 0 });
    expect(why).toMatchObject({
      state: 'pending',
      reason: expect.stringMatching(/^(waiting_turn|channel_interval)$/),
    });
    // No earlier than the newest slot, which the clock believes to lie ahead.
    expect(Date.parse(why.next)).toBeGreaterThan(systemClock.now().getTime() - minuteMs);
    expect(alerts).toEqual(['clock_set_back']);
    expect(await alertKinds(scene.db)).toEqual(['clock_set_back']);
    await scene.expectInvariants();
  });

  it('F32 an hour on publishes in the slot of its new time; and back again waits, with one alert', async () => {
    const { news, worker } = await openNews();

    await worker.shiftClock(hourMs);
    const ahead = await scene.article(news);
    await scene.reached(ahead, 'published');
    const aheadAt = await slotOf(ahead);
    const alertsAhead = await alertKinds(scene.db);
    await worker.shiftClock(0);
    const id = await scene.article(news);
    await seesWaits(worker);
    const waiting = await scene.row(id);
    const alerts = await alertKinds(scene.db);
    // The hour has passed.
    await worker.shiftClock(hourMs);
    await scene.reached(id, 'published');

    expect(aheadAt.getTime()).toBeGreaterThan(systemClock.now().getTime() + hourMs - minuteMs);
    expect(alertsAhead).toEqual([]);
    expect(waiting).toMatchObject({ publish_status: 'pending', publish_attempts: 0 });
    expect(alerts).toEqual(['clock_set_back']);
    expect((await slotOf(id)).getTime()).toBeGreaterThan(aheadAt.getTime());
    expect(await alertKinds(scene.db)).toEqual(['clock_set_back']);
    await scene.expectInvariants();
  });
});
