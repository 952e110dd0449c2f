import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { until } from '../support/until.ts';
import { limitsInForce, signalLimitMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { storeKinds, useFaultStores } from './support/stores.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
const warn = 40;
const farOffMs = 60_000;

const ways: [string, (id: number) => Promise<unknown>][] = [
  ['archived', id => scene.db('workspaces').where({ id }).update({ archived_at: systemClock.now() })],
  ['deleted', id => scene.db('workspaces').where({ id }).delete()],
];
const cases = storeKinds.flatMap(kind => ways.map(([way, remove]) => [way, kind, remove] as const));

describe('a workspace whose tick waits', () => {
  it.for(cases)('F36 is %s: the tick is none, and says nothing, in %s', async ([way, kind, remove]) => {
    const store = storeOf(kind);
    const gone = await scene.workspace();
    const kept = await scene.workspace();
    const article = way === 'archived' ? await scene.article(await scene.channel(gone, 'gone')) : null;
    const other = await scene.channel(kept, 'kept');
    // It has the tick in its hands, and has not looked at the workspace yet.
    const faults = [
      { when: 'before', statement: 'glance-at-workspace', containing: String(gone), do: 'stop' },
    ] as const;
    const patient = { lockIdleMs: farOffMs, queueStalledMs: farOffMs, queueAnswerMs: farOffMs };
    const limits = { ...limitsInForce, ...patient };
    const worker = await scene.worker({ redisUrl: store.redisUrl, limits, faults });
    await worker.struck();

    await remove(gone);
    worker.thaw();
    await scene.reached(await scene.article(other), 'published');
    const onlyTheOther = async () => (await store.schedulers()).join() === `publish-next-article:${kept}`;
    await until(onlyTheOther, { timeoutMs: signalLimitMs });
    await scene.reached(await scene.article(other), 'published');

    expect(worker.lines.filter(({ level }) => level >= warn)).toEqual([]);
    expect(scene.publisher.posts.map(({ path }) => path)).toEqual(['kept', 'kept']);
    if (article) expect(await scene.row(article)).toMatchObject({ publish_status: 'pending' });
    await scene.expectInvariants();
  });
});
