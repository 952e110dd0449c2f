import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import type { Reconciliation } from '../../src/channels/Channel.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { changeRouteArticle, type Change as PersonsChange } from '../../src/publishing/changeRouteArticle.ts';
import { type Settlement, settleUnknown } from '../../src/publishing/settleUnknown.ts';
import { truncateAll } from '../support/database.ts';
import { routeArticle } from '../support/factories.ts';
import {
  alreadyThere,
  articleRefused,
  blocked,
  found,
  incomplete,
  invalid,
  publishingTools,
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

type Change = PersonsChange | 'settle';
/** What a post meets: an answer, its loss, or the death of the process before the answer is recorded. */
type Met = PublishOutcome | 'lost' | 'crash';
type Meeting = { met: Met; arrives: boolean };

type Step =
  | {
      kind: 'tick';
      afterMs: number;
      meetings: readonly Meeting[];
      isDoubled: boolean;
      isSearchComplete: boolean;
    }
  | { kind: 'change'; article: number; change: Change };

const meetings: fc.Arbitrary<Meeting> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ met: succeeded, arrives: true }) },
  {
    weight: 9,
    arbitrary: fc
      .constantFrom<Met>(articleRefused, refused, throttled, blocked, invalid, alreadyThere, {
        kind: 'not_sent',
        code: 'send_by_passed',
        detail: 'too late',
      })
      .map(met => ({ met, arrives: false })),
  },
  {
    weight: 4,
    arbitrary: fc.record({ met: fc.constantFrom<Met>('lost', 'crash'), arrives: fc.boolean() }),
  },
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      // On time, a little off, twice in a slot, and after a long pause; never backwards.
      afterMs: fc.constantFrom(300_000, 300_000, 299_987, 300_300, 1_000, 60_000, 3_600_000, 30_000_000),
      meetings: fc.array(meetings, { minLength: 1, maxLength: 12 }),
      isDoubled: fc.boolean(),
      isSearchComplete: fc.boolean(),
    }),
  },
  {
    weight: 2,
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
        { action: 'publish-again' },
        'settle',
        'settle',
      ),
    }),
  },
);

/** The remote side's memory: which posts have arrived, and which of them more than once. */
function newMemory() {
  const arrived = new Set<string>();
  const twice: string[] = [];
  return {
    twice,
    has: (postKey: string) => arrived.has(postKey),
    /** A side that drops what it knows takes a post once, however often it comes. */
    take(postKey: string) {
      const isDropped = scene.platform.reconciliation === 'repeat';
      if (arrived.has(postKey) && !isDropped) twice.push(postKey);
      arrived.add(postKey);
    },
  };
}

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
  return { workspaceId, slow, articles, memory: newMemory() };
}

type Crowded = Awaited<ReturnType<typeof crowdedWorkspace>>;

/** A person says what they see there. */
async function settle(id: number, { memory }: Crowded) {
  const { post_key } = await routeArticle(scene.db, id);
  const settlement: Settlement = memory.has(post_key) ? { as: 'published', url: null } : { as: 'send_again' };
  const tools = publishingTools(scene.db, scene.platform);
  const { signal } = new AbortController();
  await settleUnknown(tools, { id, settlement, actor: 'test', clock: scene.clock, signal });
}

async function run(step: Step, workspace: Crowded) {
  const { workspaceId, articles, memory } = workspace;
  if (step.kind === 'change') {
    const id = articles[step.article % articles.length] ?? 0;
    if (step.change === 'settle') return settle(id, workspace);
    await changeRouteArticle(scene.db, { id, change: step.change, actor: 'test', now: scene.clock.now() });
    return;
  }
  scene.clock.advance({ ms: step.afterMs });
  const left = [...step.meetings];
  let hasCrashed = false;
  scene.platform.lookUp = ({ post }) => {
    if (!step.isSearchComplete) return incomplete;
    return memory.has(post.postKey) ? found : { kind: 'not_found' };
  };
  scene.platform.publish = ({ postKey }) => {
    const { met, arrives } = left.shift() ?? { met: succeeded, arrives: true };
    if (arrives) memory.take(postKey);
    if (met === 'lost') return unknown;
    if (met !== 'crash') return met;
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

async function expectPromisesKept({ slow, memory }: Crowded) {
  expect(memory.twice, 'never twice').toEqual([]);
  const publications = await scene.db('publications').orderBy('counted_at');
  // A repeat whose request came to nothing has used none.
  const slots = publications.flatMap(({ slot_at }) => (slot_at ? [+slot_at] : []));
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

/** Every approved article ends published, skipped or dead, once the world behaves again and persons look there. */
async function expectNothingIsStuck(workspace: Crowded) {
  const { workspaceId, memory } = workspace;
  scene.platform.publish = ({ postKey }) => {
    memory.take(postKey);
    return succeeded;
  };
  scene.platform.lookUp = ({ post }) => (memory.has(post.postKey) ? found : { kind: 'not_found' });
  const tick = ticker(scene.db, scene.platform, scene.clock);
  const unknowns = () => scene.db('route_articles').where({ publish_status: 'unknown' });
  for (let n = 0; n < 60; n++) {
    scene.clock.advance({ hours: 2 });
    await tick(workspaceId);
    for (const { id } of await unknowns().where({ next_lookup_at: null })) await settle(id, workspace);
  }
  const open = await scene
    .db('route_articles')
    .where({ approval_status: 'approved' })
    .whereIn('queue_state', [1, 2, 3]);
  expect(open.map(({ id, publish_status }) => ({ id, publish_status }))).toEqual([]);
  expect(await unknowns()).toEqual([]);
  await expectTold(memory);
}

/** What is told of an article is what has happened to it. */
async function expectTold(memory: Crowded['memory']) {
  for (const { id, post_key, publish_status } of await scene.db('route_articles')) {
    expect(memory.has(post_key), `article ${id} is ${publish_status}`).toBe(publish_status === 'published');
  }
}

const reconciliations = fc.constantFrom<Reconciliation['kind']>('repeat', 'look_up', 'blind');

describe('any sequence of ticks, answers, losses, crashes and changes', () => {
  it('sends nothing twice, keeps slots, caps and intervals, and leaves nothing stuck', async () => {
    const sequences = fc.array(steps, { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(reconciliations, sequences, async (reconciliation, sequence) => {
        await truncateAll(scene.db);
        scene.platform.reconciliation = reconciliation;
        scene.clock.set('2026-10-24T18:00:00Z');
        const workspace = await crowdedWorkspace();

        for (const step of sequence) {
          await run(step, workspace);
          await expectPromisesKept(workspace);
        }

        await expectNothingIsStuck(workspace);
        await expectPromisesKept(workspace);
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});
