import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimRouteArticle } from '../../src/models/claims.ts';
import { giveBackClaim } from '../../src/models/giveBacks.ts';
import { dueForPublishing, promoteEndedWaits } from '../../src/models/routeArticles.ts';
import { createArticle, routeArticle } from '../support/factories.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const at = new Date('2026-09-07T10:00:00Z');
const headsPerChannel = 10;

type Row = {
  channel: number;
  approval: 'pending' | 'approved' | 'rejected';
  status: 'pending' | 'failed' | 'dead' | 'published' | 'skipped' | 'unknown';
  waitMs: number | null;
  priority: number;
  ageDays: number;
};

const rows = fc.record<Row>({
  channel: fc.integer({ min: 0, max: 3 }),
  // Mostly approved and live, so that the limit and the order have something to bite on.
  approval: fc.constantFrom('approved', 'approved', 'approved', 'approved', 'pending', 'rejected'),
  status: fc.constantFrom(
    'pending',
    'pending',
    'failed',
    'failed',
    'dead',
    'published',
    'skipped',
    'unknown',
  ),
  waitMs: fc.constantFrom(null, null, -1, 0, 1, -3_600_000, 3_600_000),
  priority: fc.constantFrom(0, 0, 0, -1, 1, 5),
  ageDays: fc.integer({ min: 0, max: 4 }),
});

const attempts = { pending: 0, failed: 2, dead: 4, published: 1, skipped: 4, unknown: 1 } as const;
const mayWait = ['pending', 'failed', 'dead'];

function columnsOf({ approval, status, waitMs, priority, ageDays }: Row) {
  return {
    approval_status: approval,
    publish_status: status,
    publish_attempts: attempts[status],
    skip_reason: status === 'skipped' ? 'duplicate' : null,
    next_attempt_at: waitMs === null || !mayWait.includes(status) ? null : new Date(at.getTime() + waitMs),
    priority,
    created_at: new Date(at.getTime() - ageDays * 86_400_000),
  };
}

/** The plain definition: filtered, sorted, the first ten of each open channel. */
function dueByDefinition(given: readonly (Row & { id: number })[], open: readonly number[]): number[] {
  const due = given
    .filter(row => open.includes(row.channel))
    .filter(
      ({ approval, status }) => approval === 'approved' && (status === 'pending' || status === 'failed'),
    )
    .filter(({ waitMs }) => waitMs === null || waitMs <= 0)
    .sort((a, b) => b.priority - a.priority || b.ageDays - a.ageDays || a.id - b.id);
  const taken = new Map<number, number>();
  return due.flatMap(({ id, channel }) => {
    const before = taken.get(channel) ?? 0;
    taken.set(channel, before + 1);
    return before < headsPerChannel ? [id] : [];
  });
}

async function fourChannels() {
  const workspaceId = await scene.workspace();
  const channels: number[] = [];
  for (let n = 0; n < 4; n++) channels.push(await scene.channel(workspaceId));
  return { workspaceId, channels };
}

/** Inserts many rows at once, with ids in their order. */
async function insertRows(workspaceId: number, channels: readonly number[], given: readonly Row[]) {
  if (given.length === 0) return [];
  const articles: number[] = [];
  const article_id = await createArticle(scene.db, workspaceId);
  const copies = await scene.db.raw(
    `insert into articles (workspace_id, url_key, title, content_hash, published_at, first_seen_at)
     select workspace_id, md5(n::text)::uuid, title, content_hash, published_at, first_seen_at
     from articles, generate_series(1, ?) n where id = ? returning id`,
    [given.length, article_id],
  );
  articles.push(...copies.rows.map(({ id }: { id: number }) => id));
  const inserted = await scene
    .db('route_articles')
    .insert(
      given.map((row, index) => ({
        workspace_id: workspaceId,
        channel_id: channels[row.channel],
        article_id: articles[index],
        title: 'one of many',
        text: 'one of many',
        text_hash: randomUUID(),
        url_key: createHash('md5').update(String(index)).digest('hex'),
        post_key: randomUUID(),
        post_created_at: at,
        updated_at: at,
        ...columnsOf(row),
      })),
    )
    .returning('id');
  return given.map((row, index) => ({ ...row, id: Number(inserted[index].id) }));
}

describe('dueForPublishing', () => {
  it('is what its plain definition says, for any set of rows and any open channels', async () => {
    const { workspaceId, channels } = await fourChannels();
    const sets = fc.tuple(fc.array(rows, { maxLength: 60 }), fc.subarray([0, 1, 2, 3]));

    await fc.assert(
      fc.asyncProperty(sets, async ([given, open]) => {
        await scene.db.raw('truncate route_articles cascade');
        const stored = await insertRows(workspaceId, channels, given);
        const openIds = open.map(index => channels[index] ?? 0);

        const { candidates } = await dueForPublishing(scene.db, openIds, at);

        expect(candidates.map(({ id }) => id)).toEqual(dueByDefinition(stored, open));
      }),
      { numRuns: 60 },
    );
  });

  it('does not change with the promotion of waits that have ended', async () => {
    const { workspaceId, channels } = await fourChannels();

    await fc.assert(
      fc.asyncProperty(fc.array(rows, { maxLength: 40 }), async given => {
        await scene.db.raw('truncate route_articles cascade');
        const stored = await insertRows(workspaceId, channels, given);
        const waits = stored.filter(
          row => columnsOf(row).next_attempt_at && dueByDefinition([row], [0, 1, 2, 3]).length,
        );
        const before = await dueForPublishing(scene.db, channels, at);

        const promoted = await promoteEndedWaits(scene.db, channels, at);

        const after = await dueForPublishing(scene.db, channels, at);
        expect(promoted).toBe(waits.length);
        expect(after.candidates).toEqual(before.candidates);
        expect(after.dueWaits).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it('tells of piled-up waits even where ready articles go before them all', async () => {
    const { workspaceId, channels } = await fourChannels();
    const ready: Row = {
      channel: 0,
      approval: 'approved',
      status: 'pending',
      waitMs: null,
      priority: 5,
      ageDays: 1,
    };
    const ended: Row = { ...ready, status: 'failed', waitMs: -1, priority: 0 };
    await insertRows(workspaceId, channels, [...Array(12).fill(ready), ...Array(150).fill(ended)]);

    const { dueWaits } = await dueForPublishing(scene.db, channels, at);

    expect(dueWaits).toBe(150);
  });

  it('has them promoted by a tick, at most 500 at once, in no other order than before', async () => {
    const { workspaceId, channels } = await fourChannels();
    const ended: Row = {
      channel: 0,
      approval: 'approved',
      status: 'failed',
      waitMs: -3_600_000,
      priority: 0,
      ageDays: 1,
    };
    const stored = await insertRows(workspaceId, channels, Array(700).fill(ended));
    const waiting = () => scene.db('route_articles').where({ queue_state: 2 });

    const first = await scene.tick(workspaceId);
    const left = (await waiting()).length;
    const second = await scene.nextTick(workspaceId);

    expect(left).toBeGreaterThanOrEqual(200);
    expect(left).toBeLessThanOrEqual(201);
    expect(await waiting()).toHaveLength(0);
    const sent = [first, second].map(({ published }) => published?.routeArticleId);
    expect(sent).toEqual(stored.slice(0, 2).map(({ id }) => id));
  });
});

describe('a claim that is given back', () => {
  it('leaves the row as it was, but for the time of the change', async () => {
    const { workspaceId, channels } = await fourChannels();
    const claimable = rows.filter(
      ({ approval, status }) => approval === 'approved' && (status === 'pending' || status === 'failed'),
    );

    await fc.assert(
      fc.asyncProperty(claimable, fc.boolean(), async (row, passedGate) => {
        await scene.db.raw('truncate route_articles cascade');
        const [stored] = await insertRows(workspaceId, channels, [row]);
        const id = stored?.id ?? 0;
        const { updated_at: _, ...before } = await routeArticle(scene.db, id);
        const claimToken = randomUUID();

        const claimed = await claimRouteArticle(scene.db, {
          id,
          claimToken,
          dueBy: null,
          lastSlotAt: null,
          now: at,
        });
        const isOurs = await giveBackClaim(scene.db, {
          id,
          claimToken,
          passedGate,
          waitInstead: null,
          now: at,
        });

        const { updated_at: __, ...after } = await routeArticle(scene.db, id);
        expect(claimed?.attempts).toBe(before.publish_attempts + 1);
        expect(isOurs).toBe(true);
        expect(after).toEqual(before);
      }),
      { numRuns: 50 },
    );
  });

  it('is refused to whoever does not hold it, and twice', async () => {
    const { workspaceId, channels } = await fourChannels();
    const id = await scene.article(workspaceId, channels[0] ?? 0);
    const claimToken = randomUUID();
    await claimRouteArticle(scene.db, { id, claimToken, dueBy: at, lastSlotAt: null, now: at });
    const back = { id, passedGate: true, waitInstead: null, now: at };

    expect(await giveBackClaim(scene.db, { ...back, claimToken: randomUUID() })).toBe(false);
    expect(await giveBackClaim(scene.db, { ...back, claimToken })).toBe(true);
    expect(await giveBackClaim(scene.db, { ...back, claimToken })).toBe(false);
  });

  it('is not claimed twice, nor while it waits', async () => {
    const { workspaceId, channels } = await fourChannels();
    const id = await scene.article(workspaceId, channels[0] ?? 0, {
      next_attempt_at: new Date(at.getTime() + 1),
    });
    const claim = { id, claimToken: randomUUID(), lastSlotAt: null, now: at };

    expect(await claimRouteArticle(scene.db, { ...claim, dueBy: at })).toBeNull();
    expect(await claimRouteArticle(scene.db, { ...claim, dueBy: new Date(at.getTime() + 1) })).toMatchObject({
      id,
    });
    expect(await claimRouteArticle(scene.db, { ...claim, dueBy: null })).toBeNull();
  });
});
