import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { publishingConsumer } from '../../../src/publishing/publishingConsumer.ts';
import { recoverInFlight } from '../../../src/publishing/recoverInFlight.ts';
import { routeArticle } from '../../support/factories.ts';
import { loseDatabase } from '../../support/lostDatabase.ts';
import { useScene } from '../../support/scene.ts';
import { allTables } from './allTables.ts';
import { type Around, kinds, newConsumer, newRemote, toolsOf } from './world.ts';

const scene = useScene();
const claimedAt = new Date('2026-09-07T09:59:00Z');
const never = new AbortController().signal;
const plainly: Around = async (_, work) => work();

/** What a workspace has left in flight, of a channel of some kind; `isSending`: it had passed the gate. */
type Orphan = {
  kind: (typeof kinds)[number];
  from: 'pending' | 'failed' | 'unknown';
  attempts: number;
  isSending: boolean;
  hasSlot: boolean;
};

const orphans: fc.Arbitrary<Orphan> = fc
  .record({
    kind: fc.constantFrom(...kinds),
    from: fc.constantFrom('pending' as const, 'failed' as const, 'unknown' as const),
    attempts: fc.integer({ min: 2, max: 4 }),
    isSending: fc.boolean(),
    hasSlot: fc.boolean(),
  })
  .map(orphan => (orphan.from === 'pending' ? { ...orphan, attempts: 1 } : orphan));

async function leave({ kind, from, attempts, isSending, hasSlot }: Orphan): Promise<number> {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId, { platform: kind });
  const claim = {
    claim_token: randomUUID(),
    claimed_at: claimedAt,
    claimed_from: from,
    publish_attempts: attempts,
  };
  const sending_at = isSending ? claimedAt : null;
  const id = await scene.article(workspaceId, channelId, {
    publish_status: 'publishing',
    sending_at,
    ...claim,
  });
  await scene.article(workspaceId, channelId);
  if (!isSending && from !== 'unknown') return workspaceId;
  const { url_key, generation } = await routeArticle(scene.db, id);
  await scene.db('publications').insert({
    workspace_id: workspaceId,
    channel_id: channelId,
    route_article_id: id,
    url_key,
    generation,
    slot_at: hasSlot ? claimedAt : null,
    state: isSending ? 'sending' : 'unknown',
    post: '{}',
    counted_at: claimedAt,
    sending_at: claimedAt,
    send_by: claimedAt,
  });
  return workspaceId;
}

function startUp() {
  const tools = toolsOf(scene, newRemote(), newConsumer(), {
    script: { meetings: [], isSearchComplete: true },
    around: plainly,
  });
  return {
    tools,
    recover: () => publishingConsumer(tools).recover({ now: scene.clock.now(), signal: never }),
  };
}

/** Rows of other runs are of workspaces that have nothing in flight any more. */
const crowds = fc.array(orphans, { minLength: 1, maxLength: 4 });

describe('the start-up UPDATE', () => {
  it('ends all that is in flight once: a second run changes no row of any table, nor does a third', async () => {
    await fc.assert(
      fc.asyncProperty(crowds, async crowd => {
        for (const orphan of crowd) await leave(orphan);

        const recovered = await startUp().recover();
        const after = await allTables(scene.db);
        scene.clock.advance({ minutes: 1 });
        const again = [await startUp().recover(), await startUp().recover()];

        expect(recovered).toBe(crowd.length);
        expect(again).toEqual([0, 0]);
        expect(await allTables(scene.db)).toEqual(after);
        expect(await scene.db('route_articles').where({ queue_state: 3 })).toEqual([]);
        expect(await scene.db('publications').where({ state: 'sending' })).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it('changes nothing more when it is run at once by many, each of which sees no lock of the others', async () => {
    await fc.assert(
      fc.asyncProperty(crowds, async crowd => {
        for (const orphan of crowd) await leave(orphan);

        const counts = await Promise.all([startUp().recover(), startUp().recover(), startUp().recover()]);
        const after = await allTables(scene.db);
        await startUp().recover();

        expect(counts.reduce((sum, count) => sum + count)).toBe(crowd.length);
        expect(await allTables(scene.db)).toEqual(after);
      }),
      { numRuns: 8 },
    );
  });

  it('is all or nothing for each workspace, wherever it is broken off, and is ended by the next run', async () => {
    const losses = fc.record({
      at: fc.constantFrom(
        'lock-sending-publication',
        'lock-in-flight',
        'find-sending-publication',
        'mark-publication-unknown',
        'record-slot',
        'end-claim',
        'give-back-claim',
        'insert-attempt',
        'insert-alert',
        'COMMIT;',
      ),
      isDone: fc.boolean(),
      from: fc.integer({ min: 1, max: 3 }),
    });
    let broken = 0;
    await fc.assert(
      fc.asyncProperty(crowds, losses, async (crowd, loss) => {
        const workspaces: number[] = [];
        for (const orphan of crowd) workspaces.push(await leave(orphan));
        const look = () => Promise.all(workspaces.map(id => allTables(scene.db, id)));
        const before = await look();

        const hasStruck = loseDatabase(loss);
        const failed = await startUp()
          .recover()
          .then(
            () => null,
            error => error,
          );
        vi.restoreAllMocks();
        const halfway = await look();
        await startUp().recover();
        const after = await look();

        if (hasStruck() > 0) broken += 1;
        expect(failed !== null, String(failed)).toBe(hasStruck() > 0);
        for (const [index, tables] of halfway.entries())
          expect([before[index], after[index]]).toContainEqual(tables);
        expect(await startUp().recover()).toBe(0);
        expect(await look()).toEqual(after);
      }),
      { numRuns: 25 },
    );
    expect(broken).toBeGreaterThan(5);
  });

  it('leaves a workspace with nothing in flight as it is', async () => {
    const workspaceId = await leave({
      kind: 'repeat',
      from: 'unknown',
      attempts: 2,
      isSending: true,
      hasSlot: true,
    });
    const { tools, recover } = startUp();
    await recover();
    const [at, before] = [scene.clock.now(), await allTables(scene.db)];

    expect(await recoverInFlight(tools, { workspaceId, at, now: at })).toEqual([]);
    expect(await allTables(scene.db)).toEqual(before);
  });
});
