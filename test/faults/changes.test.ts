import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import { runCommand } from './support/command.ts';
import type { Fault } from './support/Fault.ts';
import { limitsInForce } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';

const scene = useFaultScene();
/** Nothing runs out while a worker is frozen, or a publisher does not answer. */
const patient = { ...defaultLimits, reconcileMs: limitsInForce.reconcileMs };

type Target = { workspaceId: number; news: number; id: number };
type Meddling = { what: string; meddle(target: Target): Promise<unknown> };

const queue = (...args: (string | number)[]) => runCommand(scene.url, ['queue', ...args]);
const done = async (...args: (string | number)[]) =>
  expect(await queue(...args)).toMatchObject({ exitCode: 0 });
const archived = () => ({ archived_at: systemClock.now() });

const edit: Meddling = { what: 'edited', meddle: ({ id }) => done('edit', id, '--title', 'As edited') };
const withdrawals: Meddling[] = [
  { what: 'rejected', meddle: ({ id }) => done('reject', id) },
  { what: 'skipped', meddle: ({ id }) => done('skip', id) },
  { what: 'its channel deleted', meddle: ({ news }) => change('channels', news, archived()) },
  { what: 'its workspace deleted', meddle: target => change('workspaces', target.workspaceId, archived()) },
  {
    what: 'its workspace paused',
    meddle: target => change('workspaces', target.workspaceId, { paused: true }),
  },
];

function change(table: string, id: number, columns: Readonly<Record<string, unknown>>) {
  return scene.db(table).where({ id }).update(columns);
}

async function openNews(): Promise<Target> {
  const workspaceId = await scene.workspace();
  const news = await scene.channel(workspaceId, 'news');
  return { workspaceId, news, id: await scene.article(news, { title: 'As approved' }) };
}

/** Another workspace, of which two articles go out: whatever was to go out beside them is out by then. */
async function letTicksPass() {
  const other = await scene.channel(await scene.workspace(), 'other');
  for (const id of [await scene.article(other), await scene.article(other)]) {
    await scene.reached(id, 'published');
  }
}

/** A worker that freezes once its claim is committed. */
async function freezeAfterClaim() {
  const fault: Fault = { when: 'after', statement: 'claim-route-article', do: 'stop' };
  const worker = await scene.worker({ limits: patient, faults: [fault] });
  await worker.struck();
  return worker;
}

const sentTitles = () =>
  scene.publisher.posts.filter(({ path }) => path === 'news').map(({ title }) => title);

describe('an article that is changed while it is queued', () => {
  it('F25 goes out as edited', async () => {
    const target = await openNews();

    await edit.meddle(target);
    await scene.worker();
    await scene.reached(target.id, 'published');

    expect(sentTitles()).toEqual(['As edited']);
    await scene.expectInvariants();
  });

  it.for(withdrawals)('F25 does not go out: $what', async ({ meddle }) => {
    const target = await openNews();

    await meddle(target);
    await scene.worker();
    await letTicksPass();

    expect(sentTitles()).toEqual([]);
    expect(await scene.row(target.id)).toMatchObject({ claim_token: null, sending_at: null });
    await scene.expectInvariants();
  });
});

describe('an article that is changed while it is claimed', () => {
  it('F25 goes out as edited, and not as claimed', async () => {
    const target = await openNews();
    const worker = await freezeAfterClaim();
    const claimed = await scene.row(target.id);

    await edit.meddle(target);
    worker.thaw();
    await scene.reached(target.id, 'published');

    expect(claimed).toMatchObject({ publish_status: 'publishing', sending_at: null });
    expect(sentTitles()).toEqual(['As edited']);
    expect(await scene.row(target.id)).toMatchObject({ publish_attempts: 1 });
    await scene.expectInvariants();
  });

  it.for(withdrawals)('F25 does not go out: $what', async ({ meddle }) => {
    const target = await openNews();
    const worker = await freezeAfterClaim();

    await meddle(target);
    worker.thaw();
    await letTicksPass();

    expect(sentTitles()).toEqual([]);
    const { publish_status: status, publish_attempts: attempts } = await scene.row(target.id);
    expect([status, attempts]).toEqual(status === 'skipped' ? ['skipped', 4] : ['pending', 0]);
    await scene.expectInvariants();
  });
});

describe('an article that is being sent', () => {
  it('F25 is out: each change by a person is refused as too late', async () => {
    const { id } = await openNews();
    scene.publisher.behave('news', { kind: 'accept_then_hold' });
    await scene.worker({ limits: patient });
    await scene.publisher.accepted('news', 1);
    const before = await scene.row(id);

    const ends = await Promise.all([
      queue('edit', id, '--title', 'Too late'),
      queue('reject', id),
      queue('skip', id),
    ]);
    const after = await scene.row(id);
    scene.publisher.release('news');
    const published = await scene.reached(id, 'published');

    for (const end of ends) {
      expect(end).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('too late') });
    }
    expect(after).toEqual(before);
    expect(published).toMatchObject({ title: 'As approved', approval_status: 'approved' });
    expect(await scene.db('audit_log')).toEqual([]);
    await scene.expectInvariants();
  });

  const whole = withdrawals.filter(({ what }) => what.startsWith('its '));

  it.for(whole)('F25 is recorded as published: $what', async ({ meddle }) => {
    const target = await openNews();
    scene.publisher.behave('news', { kind: 'accept_then_hold' });
    await scene.worker({ limits: patient });
    await scene.publisher.accepted('news', 1);

    await meddle(target);
    scene.publisher.release('news');
    await scene.reached(target.id, 'published');

    expect(sentTitles()).toEqual(['As approved']);
    await scene.expectInvariants();
  });
});
