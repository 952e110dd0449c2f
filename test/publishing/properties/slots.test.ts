import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextSlot, slotFrom, slotOf, tickInstant } from '../../../src/publishing/slot.ts';
import { truncateAll } from '../../support/database.ts';
import { articleRefused, succeeded, throttled, ticker, unknown } from '../../support/publishing.ts';
import { useScene } from '../../support/scene.ts';

const scene = useScene();

const workspaces = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 40 }),
  tickIntervalMs: fc.integer({ min: 1_000, max: 86_400_000 }),
});
const instants = fc.integer({ min: 0, max: 4_102_444_800_000 }).map(ms => new Date(ms));
/** Near the begin of a slot, where the snapping is, as often as anywhere. */
const nearSlots = fc
  .tuple(workspaces, instants, fc.option(fc.integer({ min: -6_000, max: 6_000 })))
  .map(([workspace, at, fromSlotMs]) => ({
    workspace,
    now: fromSlotMs === null ? at : new Date(slotOf(at, workspace).getTime() + fromSlotMs),
  }));

describe('a slot', () => {
  it('begins at or before each of its instants, and the next one after them', () => {
    fc.assert(
      fc.property(workspaces, instants, (workspace, at) => {
        const begin = slotOf(at, workspace);
        const next = nextSlot(at, workspace);

        expect(begin <= at && at < next).toBe(true);
        expect(next.getTime() - begin.getTime()).toBe(workspace.tickIntervalMs);
        expect(slotOf(next, workspace)).toEqual(next);
        expect(slotFrom(at, workspace)).toEqual(begin.getTime() === at.getTime() ? at : next);
      }),
    );
  });

  it('never goes back while time does not', () => {
    fc.assert(
      fc.property(workspaces, instants, instants, (workspace, one, other) => {
        const [earlier, later] = one <= other ? [one, other] : [other, one];

        for (const law of [slotOf, nextSlot, slotFrom]) {
          expect(law(earlier, workspace) <= law(later, workspace)).toBe(true);
        }
      }),
    );
  });
});

describe('the instant that a tick counts by', () => {
  it('is its own, or the begin of a slot at most 5 s and a tenth of the interval away', () => {
    fc.assert(
      fc.property(nearSlots, ({ workspace, now }) => {
        const at = tickInstant(now, workspace);
        const movedMs = Math.abs(at.getTime() - now.getTime());

        expect(movedMs).toBeLessThanOrEqual(Math.min(5_000, workspace.tickIntervalMs / 10));
        if (movedMs > 0) expect(slotOf(at, workspace)).toEqual(at);
        expect(tickInstant(at, workspace)).toEqual(at);
      }),
    );
  });

  it('never goes back while time does not', () => {
    fc.assert(
      fc.property(nearSlots, fc.nat(20_000), ({ workspace, now }, passedMs) => {
        const later = new Date(now.getTime() + passedMs);

        expect(tickInstant(now, workspace) <= tickInstant(later, workspace)).toBe(true);
      }),
    );
  });
});

describe("a workspace's newest slot", () => {
  const readings = fc.record({
    // On time, a little off, twice; hours and days away, forwards and back.
    movedMs: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(300_000, 299_987, 300_300, 0, 1_000, 60_000) },
      { weight: 2, arbitrary: fc.integer({ min: -7_200_000, max: 7_200_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(-900_000, 3_600_000, -3_600_000, -86_400_000, 90_000_000) },
    ),
    answer: fc.constantFrom(succeeded, succeeded, succeeded, unknown, articleRefused, throttled),
  });

  it('never goes back, and has one publication, whatever the clock reads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(readings, { minLength: 5, maxLength: 30 }), async clockReadings => {
        await truncateAll(scene.db);
        scene.clock.set('2026-09-07T10:00:00Z');
        const workspaceId = await scene.workspace();
        for (let n = 0; n < 6; n++) {
          const channelId = await scene.channel(workspaceId);
          for (let m = 0; m < 3; m++) await scene.article(workspaceId, channelId);
        }
        const tick = ticker(scene.db, scene.platform, scene.clock);
        let newest: Date | null = null;

        for (const { movedMs, answer } of clockReadings) {
          scene.clock.advance({ ms: movedMs });
          scene.platform.publish = () => answer;
          const { at, slot, outcome, reason } = await tick(workspaceId);

          const { last_slot_at: lastSlotAt }: { last_slot_at: Date | null } = await scene
            .db('workspaces')
            .first();
          const hasUsed = outcome === 'published' || reason === 'unknown_outcome';
          expect(slot).toEqual(slotOf(at, { id: workspaceId, tickIntervalMs: 300_000 }));
          expect(lastSlotAt).toEqual(hasUsed ? slot : newest);
          if (newest && hasUsed) expect(slot > newest).toBe(true);
          newest = lastSlotAt;
        }

        const slots: Date[] = await scene.db('publications').orderBy('id').pluck('slot_at');
        expect(slots.slice(1).every((slot, index) => slot > (slots[index] ?? slot))).toBe(true);
      }),
      { numRuns: 8 },
    );
  }, 60_000);
});
