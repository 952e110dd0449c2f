import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { type Change, changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { truncateAll } from '../support/database.ts';
import {
  alreadyThere,
  articleRefused,
  blocked,
  invalid,
  refused,
  succeeded,
  throttled,
  ticker,
  unknown,
} from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const timezone = 'Europe/Berlin';
const dailyCap = 6;
const intervalMs = 1_800_000;

type Step =
  | { kind: 'tick'; afterMs: number; answers: readonly (PublishOutcome | 'crash')[]; isDoubled: boolean }
  | { kind: 'change'; article: number; change: Change };

const answers = fc.constantFrom<PublishOutcome | 'crash'>(
  succeeded,
  succeeded,
  succeeded,
  articleRefused,
  refused,
  throttled,
  blocked,
  invalid,
  alreadyThere,
  unknown,
  { kind: 'not_sent', code: 'send_by_passed', detail: 'too late' },
  'crash',
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      // On time, a little off, twice in a slot, and after a long pause; never backwards.
      afterMs: fc.constantFrom(300_000, 300_000, 299_987, 300_300, 1_000, 60_000, 3_600_000, 30_000_000),
      answers: fc.array(answers, { minLength: 1, maxLength: 12 }),
      isDoubled: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      article: fc.nat(),
      change: fc.constantFrom<Change>(
        { action: 'approve' },
        { action: 'reject' },
        { action: 'retry' },
        { action: 'skip' },
        { action: 'prioritise', priority: 3 },
        { action: 'edit', title: 'edited', text: 'edited' },
      ),
    }),
  },
);

async function crowdedWorkspace() {
  const workspaceId = await scene.workspace({ timezone, daily_cap: dailyCap });
  const slow = await scene.channel(workspaceId, { publish_interval_ms: intervalMs });
  const channels = [slow, await scene.channel(workspaceId), await scene.channel(workspaceId)];
  const articles: number[] = [];
  for (let n = 0; n < 12; n++) {
    // Some links come twice in a channel.
    const url_key = `00000000-0000-0000-0000-${String(n % 9).padStart(12, '0')}`;
    const columns = { url_key, approval_status: n % 5 === 4 ? 'pending' : 'approved' };
    articles.push(await scene.article(workspaceId, channels[n % 3] ?? slow, columns));
  }
  return { workspaceId, slow, articles };
}

async function run(
  step: Step,
  { workspaceId, articles }: { workspaceId: number; articles: readonly number[] },
) {
  if (step.kind === 'change') {
    const id = articles[step.article % articles.length] ?? 0;
    await changeRouteArticle(scene.db, { id, change: step.change, actor: 'test', now: scene.clock.now() });
    return;
  }
  scene.clock.advance({ ms: step.afterMs });
  const left = [...step.answers];
  let hasCrashed = false;
  scene.platform.publish = () => {
    const answer = left.shift() ?? succeeded;
    if (answer !== 'crash') return answer;
    hasCrashed = true;
    return { kind: 'succeeded', remoteId: '\0', remoteUrl: null };
  };
  const tick = ticker(scene.db, scene.platform, scene.clock);
  const ticks = step.isDoubled ? [tick(workspaceId), tick(workspaceId)] : [tick(workspaceId)];
  const settled = await Promise.allSettled(ticks);
  const failures = settled.filter(({ status }) => status === 'rejected');
  // A text that PostgreSQL refuses stands for a process that dies between answer and record.
  expect(failures.length > 0).toBe(hasCrashed);
}

async function expectPromisesKept({ slow }: { slow: number }) {
  const arrived = scene.platform.posts.map(({ postKey }) => postKey);
  expect(new Set(arrived).size, 'never twice').toBe(arrived.length);
  const publications = await scene.db('publications').orderBy('counted_at');
  const slots = publications.map(({ slot_at }) => +slot_at);
  expect(new Set(slots).size, 'one a slot').toBe(slots.length);
  const days: string[] = publications.map(({ counted_at }) => dayOf(counted_at));
  for (const day of days)
    expect(days.filter(other => other === day).length, day).toBeLessThanOrEqual(dailyCap);
  const slowOnes = publications
    .filter(({ channel_id }) => channel_id === slow)
    .map(({ counted_at }) => +counted_at);
  slowOnes.slice(1).forEach((at, index) => {
    expect(at - (slowOnes[index] ?? 0), 'the interval').toBeGreaterThanOrEqual(intervalMs);
  });
}

function dayOf(at: Date): string {
  return DateTime.fromJSDate(at, { zone: timezone }).toISODate() ?? '';
}

/** Every approved article ends published, skipped, dead or with a person, once the world behaves again. */
async function expectNothingIsStuck(workspaceId: number) {
  scene.platform.publish = () => succeeded;
  const tick = ticker(scene.db, scene.platform, scene.clock);
  for (let n = 0; n < 60; n++) {
    scene.clock.advance({ hours: 2 });
    await tick(workspaceId);
  }
  const open = await scene
    .db('route_articles')
    .where({ approval_status: 'approved' })
    .whereIn('queue_state', [1, 2, 3]);
  const waiting = open.filter(({ last_error_code }) => last_error_code !== 'duplicate_in_flight');
  expect(waiting.map(({ id, publish_status }) => ({ id, publish_status }))).toEqual([]);
}

describe('any sequence of ticks, answers, crashes and changes', () => {
  it('sends nothing twice, keeps slots, caps and intervals, and leaves nothing stuck', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async sequence => {
        await truncateAll(scene.db);
        scene.platform.posts.length = 0;
        scene.clock.set('2026-10-24T18:00:00Z');
        const workspace = await crowdedWorkspace();

        for (const step of sequence) {
          await run(step, workspace);
          await expectPromisesKept(workspace);
        }

        await expectNothingIsStuck(workspace.workspaceId);
        await expectPromisesKept(workspace);
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});
