import { DateTime } from 'luxon';
import { expect } from 'vitest';
import type { Database } from '../../../src/database/Database.ts';
import { readHistory } from './history.ts';
import { expectAllowed } from './stateModel.ts';
import type { Remote } from './world.ts';

/** What a test's workspace promises. */
export type Pace = { timezone: string; dailyCap: number; intervalMs: number; slowChannelId: number };

/** What holds between any two steps, however consumers, persons and answers are interleaved. */
export async function expectPromisesKept(db: Database, remote: Remote, pace: Pace): Promise<void> {
  const rows = await db('route_articles').orderBy('id');
  const publications = await db('publications').orderBy(['counted_at', 'id']);
  expectSentOnce(remote);
  for (const row of rows) expectWhole(row, publications, remote);
  expectPace(publications, pace);
  expectAllowed(await readHistory(db));
}

function expectSentOnce({ accepted }: Remote): void {
  const keys = accepted.map(({ postKey }) => postKey);
  expect(new Set(keys).size, 'never twice').toBe(keys.length);
}

type Stored = Readonly<Record<string, unknown>>;

/** A route article and its publications say the same; what has arrived is never taken for not sent. */
function expectWhole(row: Stored, publications: readonly Stored[], remote: Remote): void {
  const { id, publish_status, sending_at, claimed_from, generation, post_key } = row;
  const own = publications.filter(({ route_article_id }) => route_article_id === id);
  const count = (state: string) => own.filter(publication => publication.state === state).length;
  const isInFlight = publish_status === 'publishing';
  const isSending = isInFlight && sending_at !== null;
  const isUnknown = publish_status === 'unknown' || (isInFlight && !isSending && claimed_from === 'unknown');
  expect(
    { sending: count('sending'), unknown: count('unknown') },
    `article ${id}, ${publish_status}`,
  ).toEqual({
    sending: isSending ? 1 : 0,
    unknown: isUnknown ? 1 : 0,
  });
  const isOut = own.some(
    publication => publication.state === 'published' && publication.generation === generation,
  );
  expect(isOut, `article ${id} is ${publish_status}`).toBe(publish_status === 'published');
  if (remote.has(String(post_key))) {
    expect(['published', 'unknown', 'publishing'], `article ${id} has arrived`).toContain(publish_status);
  } else expect(publish_status, `article ${id} has not arrived`).not.toBe('published');
}

type Counted = { slot_at: Date | null; counted_at: Date; channel_id: number };

function expectPace(publications: readonly Counted[], pace: Pace): void {
  const { timezone, dailyCap, intervalMs, slowChannelId } = pace;
  const slots = publications.flatMap(({ slot_at }) => (slot_at ? [slot_at.getTime()] : []));
  expect(new Set(slots).size, 'one a slot').toBe(slots.length);
  const days = publications.map(({ counted_at }) => dayOf(counted_at, timezone));
  for (const day of days) {
    expect(days.filter(other => other === day).length, day).toBeLessThanOrEqual(dailyCap);
  }
  const slow = publications.filter(({ channel_id }) => channel_id === slowChannelId);
  slow.slice(1).forEach(({ counted_at }, index) => {
    const before = slow[index]?.counted_at ?? counted_at;
    expect(counted_at.getTime() - before.getTime(), 'the interval').toBeGreaterThanOrEqual(intervalMs);
  });
}

function dayOf(at: Date, zone: string): string {
  return DateTime.fromJSDate(at, { zone }).toISODate() ?? '';
}
