import fc from 'fast-check';
import { expect } from 'vitest';
import { type Change, changeRouteArticle } from '../../../src/publishing/changeRouteArticle.ts';
import { publishingConsumer } from '../../../src/publishing/publishingConsumer.ts';
import { type Settlement, settleUnknown } from '../../../src/publishing/settleUnknown.ts';
import { truncateAll } from '../../support/database.ts';
import { routeArticle } from '../../support/factories.ts';
import {
  alreadyThere,
  articleRefused,
  blocked,
  invalid,
  refused,
  succeeded,
  throttled,
  unknown,
} from '../../support/publishing.ts';
import type { Scene } from '../../support/scene.ts';
import { expectPromisesKept, type Pace } from './promises.ts';
import {
  type Around,
  type Consumer,
  kinds,
  type Meeting,
  newConsumer,
  newRemote,
  type Remote,
  type Script,
  tickOf,
  toolsOf,
} from './world.ts';

/** One workspace with a channel of each kind, two consumers that do not see each other's locks, and the remote side. */
export type Theatre = {
  scene: Scene;
  remote: Remote;
  workspaceId: number;
  articles: readonly number[];
  consumers: Consumer[];
  pace: Pace;
};

/** Few articles meet each other's steps more often, many fill slots and cap. `slow`: the kind that has the interval. */
export type Scenery = { slow: number; articles: number };

export const sceneries: fc.Arbitrary<Scenery> = fc.record({
  slow: fc.nat(2),
  articles: fc.constantFrom(1, 2, 4, 9),
});

export async function openTheatre(scene: Scene, { slow, articles: count }: Scenery): Promise<Theatre> {
  await truncateAll(scene.db);
  scene.clock.set('2026-10-24T18:00:00Z');
  const [timezone, dailyCap, intervalMs] = ['Europe/Berlin', 8, 1_800_000];
  const workspaceId = await scene.workspace({ timezone, daily_cap: dailyCap });
  const channels: number[] = [];
  for (const [index, platform] of kinds.entries()) {
    const publish_interval_ms = index === slow ? intervalMs : 0;
    channels.push(await scene.channel(workspaceId, { platform, publish_interval_ms }));
  }
  const articles: number[] = [];
  for (let n = 0; n < count; n++) {
    // The last of each channel has the link of its first.
    const url_key = `00000000-0000-0000-0000-${String(n % 6).padStart(12, '0')}`;
    const attempts = n === 4 ? { publish_status: 'failed', publish_attempts: 3 } : {};
    articles.push(await scene.article(workspaceId, channels[n % 3] ?? 0, { url_key, ...attempts }));
  }
  await scene.db('history').truncate();
  const pace = { timezone, dailyCap, intervalMs, slowChannelId: channels[slow] ?? 0 };
  return {
    scene,
    remote: newRemote(),
    workspaceId,
    articles,
    consumers: [newConsumer(), newConsumer()],
    pace,
  };
}

export const meetings: fc.Arbitrary<Meeting> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ arrives: true, answer: succeeded }) },
  { weight: 2, arbitrary: fc.constant({ arrives: true, answer: unknown }) },
  { weight: 2, arbitrary: fc.constant({ arrives: false, answer: unknown }) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(refused, articleRefused, throttled, blocked, invalid, alreadyThere, {
        kind: 'not_sent' as const,
        code: 'send_by_passed' as const,
        detail: 'too late',
      })
      .map(answer => ({ arrives: false, answer })),
  },
);

export const scripts: fc.Arbitrary<Script> = fc.record({
  meetings: fc.array(meetings, { minLength: 1, maxLength: 4 }),
  isSearchComplete: fc.boolean(),
});

export type PersonStep =
  | { kind: 'change'; article: number; change: Change }
  | { kind: 'settle'; article: number };

export const personSteps: fc.Arbitrary<PersonStep> = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    article: fc.nat(8),
    change: fc.constantFrom<Change>(
      { action: 'approve' },
      { action: 'reject' },
      { action: 'retry' },
      { action: 'skip' },
      { action: 'publish-again' },
      { action: 'edit', title: 'edited', text: 'edited' },
    ),
  }),
  fc.record({ kind: fc.constant('settle' as const), article: fc.nat(8) }),
);

const never = new AbortController().signal;
const plainly: Around = async (_, work) => work();
const plainScript: Script = { meetings: [], isSearchComplete: true };

/** A person looks there before they say what they saw: of a lie nobody can make one post. */
export async function act(
  { scene, remote, articles }: Theatre,
  step: PersonStep,
  around: Around = plainly,
): Promise<void> {
  const id = articles[step.article % articles.length] ?? 0;
  const { clock } = scene;
  const tools = toolsOf(scene, remote, newConsumer(), { script: plainScript, around });
  if (step.kind === 'change') {
    await changeRouteArticle(tools.db, { id, change: step.change, actor: 'ada', now: clock.now() });
    return;
  }
  const { post_key } = await routeArticle(scene.db, id);
  const settlement: Settlement = remote.has(post_key) ? { as: 'published', url: null } : { as: 'send_again' };
  await settleUnknown(tools, { id, settlement, actor: 'ada', clock, signal: never });
}

export function tick(theatre: Theatre, consumer: Consumer, script: Script, around: Around = plainly) {
  const { scene, remote, workspaceId } = theatre;
  const tools = toolsOf(scene, remote, consumer, { script, around });
  return tickOf(tools, { workspaceId, clock: scene.clock, signal: never });
}

/** A consumer starts up, or has lost its locks: whether another one is at work it cannot see. */
export function recover({ scene, remote }: Theatre, consumer: Consumer, around: Around = plainly) {
  const tools = toolsOf(scene, remote, consumer, { script: plainScript, around });
  return publishingConsumer(tools).recover({ now: scene.clock.now(), signal: never });
}

export function giveBack({ scene }: Theatre, { claims }: Consumer) {
  return claims.giveBack(scene.db, scene.clock.now());
}

export function expectKept({ scene, remote, pace }: Theatre): Promise<void> {
  return expectPromisesKept(scene.db, remote, pace);
}

/** Once the world behaves, everything ends: published, skipped, dead, or with a person who looks there. */
export async function expectNothingIsStuck(theatre: Theatre): Promise<void> {
  const { scene, articles } = theatre;
  const consumer = newConsumer();
  const open = () =>
    scene.db('route_articles').where({ approval_status: 'approved' }).whereIn('queue_state', [1, 2, 3]);
  const unknowns = () => scene.db('route_articles').where({ publish_status: 'unknown' });
  for (let n = 0; n < 120; n++) {
    if ((await open()).length + (await unknowns()).length === 0) break;
    scene.clock.advance({ hours: 2 });
    await tick(theatre, consumer, plainScript);
    const left = await unknowns().where({ next_lookup_at: null });
    for (const { id } of left) await act(theatre, { kind: 'settle', article: articles.indexOf(id) });
  }
  expect(
    (await open()).map(({ id, publish_status }) => ({ id, publish_status })),
    'stuck',
  ).toEqual([]);
  expect(await unknowns(), 'stuck unknown').toEqual([]);
}
