import { describe, expect, it } from 'vitest';
import { alertKinds } from '../support/factories.ts';
import { until } from '../support/until.ts';
import type { Place } from './support/Fault.ts';
import { limitsInForce, scaledMs, signalLimitMs } from './support/realTime.ts';
import { type FindsOut, useFaultScene } from './support/scene.ts';
import { letTicksPass } from './support/ticks.ts';

const scene = useFaultScene();
const blockedMs = scaledMs(40_000);

async function openNews(findsOut: FindsOut = 'by_repeat') {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news', { findsOut }) };
}

/** Starts a worker that freezes at this place, and resolves when it has. */
async function startFrozen(at: Place & { when: 'before' | 'after' }) {
  const frozen = await scene.worker({ faults: [{ ...at, do: 'stop' }] });
  await frozen.struck();
  return frozen;
}

/** Starts another worker; resolves when the server has ended the session of the one that is frozen. */
async function startSuccessor(id: number, publishStatus: string) {
  const successor = await scene.worker();
  const waitMs = limitsInForce.lockIdleMs + signalLimitMs;
  await until(async () => (await scene.row(id)).publish_status === publishStatus, { timeoutMs: waitMs });
  return successor;
}

describe('a consumer that is frozen for longer than every limit, and goes on', () => {
  it('F10 before the gate: has lost its claim, says so, and sends nothing', async () => {
    const { workspaceId, news } = await openNews();
    const id = await scene.article(news);
    const frozen = await startFrozen({ when: 'after', statement: 'claim-route-article' });
    await startSuccessor(id, 'failed');
    const failed = await scene.row(id);

    frozen.thaw();
    await frozen.loggedTimes('claim lost', 1);
    await letTicksPass(scene.db, workspaceId);
    const after = await scene.row(id);
    await scene.endWaits();
    await scene.reached(id, 'published');

    expect(after).toEqual(failed);
    expect(await scene.tried(id, 'published')).toEqual(['interrupted', 'published']);
    expect(await scene.publisher.arrived('news', 1)).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F10 between gate and send: sends nothing past its deadline, and gives back what did not leave', async () => {
    const { news } = await openNews('not_at_all');
    const id = await scene.article(news);
    const frozen = await startFrozen({ when: 'after', commitOf: 'insert-intent' });
    await startSuccessor(id, 'unknown');
    const arrived = [...scene.publisher.posts];
    const { send_by: sendBy } = await scene.db('publications').first('send_by');

    frozen.thaw();
    await frozen.logged('article passed');
    await scene.endWaits();
    await scene.reached(id, 'published');

    expect(arrived).toEqual([]);
    const [post] = await scene.publisher.arrived('news', 1);
    expect(post?.receivedAt.getTime()).toBeGreaterThan(sendBy.getTime());
    expect(scene.publisher.posts).toHaveLength(1);
    expect(await scene.tried(id, 'published')).toEqual(['unknown', 'published']);
    await scene.expectInvariants();
  });

  it('F10 between gate and send: has lost its claim where another one has sent it since', async () => {
    const { workspaceId, news } = await openNews('by_repeat');
    const id = await scene.article(news);
    const frozen = await startFrozen({ when: 'after', commitOf: 'insert-intent' });
    await startSuccessor(id, 'unknown');
    const published = await scene.settled(id, 'published');

    frozen.thaw();
    await frozen.loggedTimes('claim lost', 1);
    await letTicksPass(scene.db, workspaceId);

    expect(await scene.row(id)).toEqual(published);
    expect(await scene.publisher.arrived('news', 1)).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F10 while it waits for the answer: has lost its claim where another one found the post', async () => {
    const { workspaceId, news } = await openNews('by_look_up');
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const id = await scene.article(news);
    const frozen = await scene.worker();
    await scene.publisher.accepted('news', 1);
    frozen.freeze();
    await startSuccessor(id, 'published');
    const published = await scene.row(id);

    frozen.thaw();
    await frozen.loggedTimes('claim lost', 1);
    await letTicksPass(scene.db, workspaceId);

    expect(await scene.row(id)).toEqual(published);
    expect(await scene.tried(id, 'published')).toEqual(['unknown', 'published']);
    expect(await scene.publisher.arrived('news', 1)).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F10 while it waits for the answer: changes nothing of what stays unknown', async () => {
    const { workspaceId, news } = await openNews('not_at_all');
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const id = await scene.article(news);
    const frozen = await scene.worker();
    await scene.publisher.accepted('news', 1);
    frozen.freeze();
    await startSuccessor(id, 'unknown');
    const unknown = await scene.row(id);

    frozen.thaw();
    await frozen.loggedTimes('claim lost', 1);
    await letTicksPass(scene.db, workspaceId);

    expect(await scene.row(id)).toEqual(unknown);
    expect(await scene.tried(id, 'unknown')).toEqual(['unknown']);
    expect(await alertKinds(scene.db)).toEqual(['outcome_unknown']);
    expect(await scene.publisher.arrived('news', 1)).toHaveLength(1);
    await scene.expectInvariants();
  });
});

describe('an event loop that is blocked for longer than a tick may be silent', () => {
  const moments = [
    ['after the claim', { when: 'after', statement: 'claim-route-article' }],
    ['after the gate', { when: 'after', commitOf: 'insert-intent' }],
    ['before the record', { when: 'before', statement: 'record-published' }],
  ] as const;
  const company = [
    ['alone', 0],
    ['beside a second worker', 1],
  ] as const;
  const cases = moments.flatMap(([when, at]) =>
    company.map(([who, others]) => [when, who, { at, others }] as const),
  );

  it.for(cases)('F16 %s, %s: its tick runs again, and does nothing', async ([, , { at, others }]) => {
    const { workspaceId, news } = await openNews();
    const second = others > 0 ? await scene.worker() : null;
    await second?.logged('started');
    // It comes in when the first is blocked, and not before that.
    second?.freeze();
    const ids = [await scene.article(news), await scene.article(news)];
    const worker = await scene.worker({ faults: [{ ...at, do: 'block', ms: blockedMs }] });

    await worker.struck();
    second?.thaw();
    await until(ticksThatRanAgain, { timeoutMs: signalLimitMs });
    for (const id of ids) await scene.reached(id, 'published');
    await letTicksPass(scene.db, workspaceId);

    expect(await scene.db('attempts').orderBy('id').pluck('outcome')).toEqual(['published', 'published']);
    expect(await scene.publisher.arrived('news', 2)).toHaveLength(2);
    expect(worker.lines.filter(({ msg }) => msg === 'claim lost')).toEqual([]);
    await scene.expectInvariants();
  });
});

async function ticksThatRanAgain(): Promise<boolean> {
  const again = scene.db('bullmq.job').where({ queue: 'publishing' }).where('attempts_started', '>', 1);
  return (await again.first('id')) !== undefined;
}
