import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueForPublishing } from '../../../src/models/routeArticles.ts';
import { truncateAll } from '../../support/database.ts';
import { createBacklog } from '../../support/factories.ts';
import { ticker } from '../../support/publishing.ts';
import { useScene } from '../../support/scene.ts';

const scene = useScene();
const later = new Date('2026-12-01T00:00:00Z');
const earlier = new Date('2026-09-07T09:00:00Z');
const times = ['2026-09-01T00:00:00Z', '2026-09-02T00:00:00Z', '2026-09-03T00:00:00Z'].map(
  iso => new Date(iso),
);

type Columns = Readonly<Record<string, unknown>>;
type Placed = { channel: number; priority: number; created_at: Date; columns: Columns };

const open = 2;
const closures: readonly Columns[] = [
  { paused: true },
  { hold_reason: 'breaker', held_until: later },
  { daily_cap: 0 },
];

function placed(
  columns: readonly Columns[],
  { from, to }: { from: number; to: number },
): fc.Arbitrary<Placed> {
  return fc.record({
    channel: fc.integer({ min: from, max: to }),
    priority: fc.integer({ min: -1, max: 1 }),
    created_at: fc.constantFrom(...times),
    columns: fc.constantFrom(...columns),
  });
}

const due: readonly Columns[] = [
  {},
  { publish_status: 'failed', publish_attempts: 2, next_attempt_at: earlier },
  { publish_status: 'failed', publish_attempts: 1, next_attempt_at: null },
];
const candidates = placed(due, { from: 0, to: open - 1 });
const blocked = fc.oneof(
  placed(due, { from: open, to: open + closures.length - 1 }),
  placed(
    [
      { next_attempt_at: later },
      { publish_status: 'failed', publish_attempts: 1, next_attempt_at: later },
      { approval_status: 'pending' },
      { approval_status: 'rejected', publish_status: 'failed', publish_attempts: 1 },
      { publish_status: 'dead', publish_attempts: 4, next_attempt_at: earlier },
      { publish_status: 'skipped', publish_attempts: 4, skip_reason: 'duplicate' },
      { publish_status: 'published', publish_attempts: 1 },
      { publish_status: 'unknown', publish_attempts: 1 },
    ],
    { from: 0, to: open + closures.length - 1 },
  ),
);

async function queue(
  workspaceId: number,
  channels: readonly number[],
  rows: readonly Placed[],
): Promise<number[]> {
  const articles = rows.map(() => ({ ...article, workspace_id: workspaceId, url_key: randomUUID() }));
  if (rows.length === 0) return [];
  const stored = await scene.db('articles').insert(articles).returning(['id', 'url_key']);
  const inserted = await scene
    .db('route_articles')
    .insert(
      rows.map(({ channel, priority, created_at, columns }, index) => ({
        ...routed,
        workspace_id: workspaceId,
        channel_id: channels[channel],
        article_id: stored[index].id,
        url_key: stored[index].url_key,
        post_key: randomUUID(),
        priority,
        created_at,
        // Defaults are not mixed with values in one insert.
        ...{ ...plain, ...columns },
      })),
    )
    .returning('id');
  return inserted.map(({ id }) => Number(id));
}

const plain = {
  approval_status: 'approved',
  publish_status: 'pending',
  publish_attempts: 0,
  next_attempt_at: null,
  skip_reason: null,
};
const hash = '00000000-0000-0000-0000-000000000000';
const article = { url: null, title: 'x', content_hash: hash, published_at: earlier, first_seen_at: earlier };
const routed = { title: 'x', text: 'x', text_hash: hash, post_created_at: earlier, updated_at: earlier };

/** Ten of each channel at most, in publishing order. */
function inOrder(rows: readonly (Placed & { id: number })[]) {
  const sorted = [...rows].sort(
    (one, other) => other.priority - one.priority || +one.created_at - +other.created_at || one.id - other.id,
  );
  const tenOf = (channel: number) => sorted.filter(row => row.channel === channel).slice(0, 10);
  const heads = new Set([0, 1].flatMap(tenOf));
  return sorted.filter(row => heads.has(row)).map(({ id }) => id);
}

async function fiveChannels() {
  await truncateAll(scene.db);
  const workspaceId = await scene.workspace();
  const channels: number[] = [];
  for (const columns of [{}, {}, ...closures]) channels.push(await scene.channel(workspaceId, columns));
  return { workspaceId, channels, openIds: channels.slice(0, open) };
}

describe('the selection', () => {
  it('does not depend on what is blocked, however much of it is older or more urgent', async () => {
    const some = fc.array(candidates, { maxLength: 26 });
    const many = fc.array(blocked, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(some, many, many, async (rows, before, after) => {
        const { workspaceId, channels, openIds } = await fiveChannels();
        await queue(workspaceId, channels, before);
        const ids = await queue(workspaceId, channels, rows);
        await queue(workspaceId, channels, after);
        const expected = inOrder(rows.map((row, index) => ({ ...row, id: ids[index] ?? 0 })));

        const found = await dueForPublishing(scene.db, openIds, scene.clock.now());
        const result = await ticker(scene.db, scene.platform, scene.clock)(workspaceId);

        expect(found.candidates.map(({ id }) => id)).toEqual(expected);
        expect(result.published?.routeArticleId ?? null).toBe(expected[0] ?? null);
        expect(result.reason).toBe(expected.length > 0 ? null : 'nothing_due');
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('takes 500 rows of the same time each once, in the order of their ids', async () => {
    const { workspaceId, openIds } = await fiveChannels();
    for (const channelId of openIds) await createBacklog(scene.db, { workspaceId, channelId, count: 250 });
    const ids: number[] = await scene.db('route_articles').orderBy('id').pluck('id');
    const taken: number[] = [];

    for (let n = 0; n <= 500; n++) {
      const [next] = (await dueForPublishing(scene.db, openIds, scene.clock.now())).candidates;
      if (!next) break;
      taken.push(next.id);
      await scene.db('route_articles').where({ id: next.id }).update({ publish_status: 'published' });
    }

    expect(ids).toHaveLength(500);
    expect(taken).toEqual(ids.map(Number));
  });
});
