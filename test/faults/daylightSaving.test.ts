import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { slotOf } from '../../src/publishing/slot.ts';
import { createBacklog } from '../support/factories.ts';
import { ticker } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const slotMs = 300_000;
const slotsAnHour = 12;
const limitMs = 60_000;
const dailyCap = 10;

/** `hours` between its two midnights, and of them those on which the clock shows 01:00 to 03:30. */
const changes = [
  { zone: 'Europe/Berlin', day: '2026-03-29', hours: 23, openHours: 1.5 },
  { zone: 'Europe/Berlin', day: '2026-10-25', hours: 25, openHours: 3.5 },
  { zone: 'America/New_York', day: '2026-03-08', hours: 23, openHours: 1.5 },
  { zone: 'America/New_York', day: '2026-11-01', hours: 25, openHours: 3.5 },
  { zone: 'Australia/Lord_Howe', day: '2026-04-05', hours: 24.5, openHours: 3 },
  { zone: 'Australia/Lord_Howe', day: '2026-10-04', hours: 23.5, openHours: 2 },
];

const midnight = (day: string, zone: string, days = 0) => DateTime.fromISO(day, { zone }).plus({ days });
const hoursBetween = (from: DateTime, to: DateTime) => to.diff(from, 'hours').hours;

/** A workspace with a backlog, and the clock at the first slot of the day before the change. */
async function openDay({ zone, day }: (typeof changes)[number], columns: Readonly<Record<string, unknown>>) {
  scene.clock.set(midnight(day, zone, -1).toJSDate().toISOString());
  const workspaceId = await scene.workspace({ timezone: zone, ...columns });
  const channelId = await scene.channel(workspaceId);
  await createBacklog(scene.db, { workspaceId, channelId, count: 200 });
  return { workspaceId, tick: ticker(scene.db, scene.platform, scene.clock) };
}

describe.each(changes)('the change of the clocks in $zone on $day', change => {
  const { zone, day, hours, openHours } = change;
  const localDate = (at: Date) => DateTime.fromJSDate(at, { zone }).toISODate();
  const minuteOfDay = (at: Date) => {
    const { hour, minute } = DateTime.fromJSDate(at, { zone });
    return hour * 60 + minute;
  };

  it('F33 leaves twelve ticks to each hour that passes, and windows to what the clock shows', {
    timeout: limitMs,
  }, async () => {
    const { workspaceId, tick } = await openDay(change, { windows: ['01:00-03:30'] });
    const end = midnight(day, zone, 2).toMillis();

    const ticks = new Map<string | null, number>();
    const published: Date[] = [];
    for (; scene.clock.now().getTime() < end; scene.clock.advance({ ms: slotMs })) {
      const at = scene.clock.now();
      ticks.set(localDate(at), (ticks.get(localDate(at)) ?? 0) + 1);
      expect(slotOf(at, { id: workspaceId, tickIntervalMs: slotMs })).toEqual(at);
      // Where the clock is far from the window nothing can happen: only a few of those ticks are run.
      const minute = minuteOfDay(at);
      if (minute > 240 && minute % 60 >= 5) continue;
      if ((await tick(workspaceId)).outcome === 'published') published.push(at);
    }

    const onThatDay = published.filter(at => localDate(at) === day);
    expect(hoursBetween(midnight(day, zone), midnight(day, zone, 1))).toBe(hours);
    expect(ticks.get(day)).toBe(hours * slotsAnHour);
    expect(onThatDay).toHaveLength(openHours * slotsAnHour);
    expect(published.every(at => minuteOfDay(at) >= 60 && minuteOfDay(at) < 210)).toBe(true);
    expect(published.length - onThatDay.length).toBe(2 * 2.5 * slotsAnHour);
  });

  it('F33 leaves one cap to each of its days, from one midnight to the next', async () => {
    const { workspaceId, tick } = await openDay(change, { daily_cap: dailyCap });
    const days = [-1, 0, 1].map(offset => midnight(day, zone, offset));
    const published: Date[] = [];
    const publishes = async () => {
      const result = await tick(workspaceId);
      if (result.outcome === 'published') published.push(result.at);
      return result.reason;
    };

    for (const begin of days) {
      // From well before midnight, at which the cap of the day before still holds, until it is used up.
      const firstSlot = slotOf(begin.plus({ milliseconds: slotMs }).toJSDate(), {
        id: workspaceId,
        tickIntervalMs: slotMs,
      });
      scene.clock.set(
        new Date(
          Math.max(firstSlot.getTime() - slotMs * slotsAnHour, days[0]?.toMillis() ?? 0),
        ).toISOString(),
      );
      for (let tries = 0; tries < 3 * slotsAnHour; tries += 1, scene.clock.advance({ ms: slotMs }))
        await publishes();
      // And at the very end of the day it still is.
      scene.clock.set(new Date(begin.plus({ days: 1 }).toMillis() - 1).toISOString());
      expect(await publishes()).toBe('daily_cap');
    }

    const perDay = days.map(begin => published.filter(at => localDate(at) === begin.toISODate()).length);
    const first = days.map(begin => published.find(at => localDate(at) === begin.toISODate()));
    expect(perDay).toEqual([dailyCap, dailyCap, dailyCap]);
    for (const [index, begin] of days.entries()) {
      expect((first[index]?.getTime() ?? 0) - begin.toMillis()).toBeLessThan(slotMs);
    }
  });
});
