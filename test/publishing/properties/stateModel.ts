import { expect } from 'vitest';
import type { Entry, Row } from './history.ts';

type Rule = {
  /** What may have caused it: `claim`, `give back` (neither leaves a row of its own), an outcome, a person's action. */
  causes: readonly string[];
  /** By how much the attempts that are counted may change. */
  counts: readonly number[] | 'set';
};

const notCounted = ['give back', 'throttled', 'blocked'];
const counted = ['failed', 'interrupted'];

/**
 * The README's table of states, with the causes. An attempt counts from its end on: a claim's own is taken off
 * here. A late answer finds its row unknown; one that says that nothing left takes the attempt off again.
 */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  'pending > publishing': [{ causes: ['claim'], counts: [0] }],
  'failed > publishing': [{ causes: ['claim'], counts: [0] }],
  'unknown > publishing': [{ causes: ['claim'], counts: [0] }],
  'publishing > pending': [{ causes: notCounted, counts: [0] }],
  'publishing > failed': [
    { causes: notCounted, counts: [0] },
    { causes: counted, counts: [1] },
  ],
  'publishing > unknown': [
    { causes: notCounted, counts: [0] },
    { causes: ['unknown', 'failed', 'skipped'], counts: [1] },
  ],
  'publishing > published': [{ causes: ['published'], counts: [1] }],
  'publishing > dead': [{ causes: counted, counts: [1] }],
  'publishing > skipped': [{ causes: ['skipped', 'skip'], counts: 'set' }],
  'unknown > published': [{ causes: ['published', 'settle'], counts: [0] }],
  'unknown > failed': [
    { causes: ['failed'], counts: [0] },
    { causes: notCounted, counts: [-1] },
  ],
  'unknown > pending': [
    { causes: notCounted, counts: [-1] },
    { causes: ['settle'], counts: 'set' },
  ],
  'unknown > dead': [{ causes: ['failed'], counts: [0] }],
  'unknown > skipped': [{ causes: ['skipped'], counts: 'set' }],
  'unknown > unknown': [
    { causes: ['unknown', 'failed', 'skipped'], counts: [0] },
    { causes: notCounted, counts: [-1] },
  ],
  'failed > pending': [{ causes: ['retry'], counts: 'set' }],
  'dead > pending': [{ causes: ['retry'], counts: 'set' }],
  'pending > skipped': [{ causes: ['skip'], counts: 'set' }],
  'failed > skipped': [{ causes: ['skip'], counts: 'set' }],
  'dead > skipped': [{ causes: ['skip'], counts: 'set' }],
  'published > pending': [{ causes: ['publish-again'], counts: 'set' }],
};

// While another consumer repeats it, the row of an unknown outcome is publishing: what ends the outcome then
// is a late answer, with the number of its own try, or a person's word. The repeat's claim does not count.
const endedWhileRepeated: Rule = { causes: ['published', 'settle'], counts: [0] };

/** Every transition is in the table, with a cause, with exactly one row that explains it, and counted rightly. */
export function expectAllowed(history: readonly Entry[]): void {
  for (const [what, entries] of transactions(history)) {
    const [cause, ...more] = entries.filter(({ kind }) => kind !== 'row');
    expect(more, `${what}: one row explains it`).toEqual([]);
    for (const { old, new: now } of entries) {
      if (!old || !now || !isTransition(old, now)) continue;
      expectRule(what, { old, now }, cause ?? null);
    }
  }
}

function transactions(history: readonly Entry[]): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const entry of history) {
    const key = `article ${entry.route_article_id}, transaction ${entry.xact}`;
    found.set(key, [...(found.get(key) ?? []), entry]);
  }
  return found;
}

function isTransition(old: Row, now: Row): boolean {
  return old.publish_status !== now.publish_status || old.publish_attempts !== now.publish_attempts;
}

function expectRule(what: string, { old, now }: { old: Row; now: Row }, explained: Entry | null): void {
  const isClaim = now.publish_status === 'publishing';
  const cause = explained?.cause ?? (isClaim ? 'claim' : 'give back');
  const name = `${old.publish_status} > ${now.publish_status}`;
  const before = countedIn(old);
  const change = countedIn(now) - before;
  const found = isEndedWhileRepeated(old, now, explained) ? [endedWhileRepeated] : (rules[name] ?? []);
  const rule = found.find(
    ({ causes, counts }) => causes.includes(cause) && (counts === 'set' || counts.includes(change)),
  );
  expect(rule, `${what}: ${name} by ${cause}, counted ${change}`).toBeDefined();
  if (explained?.attempt) {
    const isLate = old.publish_status === 'unknown' || explained.attempt <= before;
    expect(explained.attempt, `${what}: its number`).toBeLessThanOrEqual(now.publish_attempts);
    if (!isLate) expect(explained.attempt, `${what}: its number`).toBe(now.publish_attempts);
  }
  if (old.publish_status === 'publishing' && notCounted.includes(cause)) {
    expect(now.publish_status, `${what}: given back as it was claimed`).toBe(old.claimed_from);
  }
}

function isEndedWhileRepeated(old: Row, now: Row, explained: Entry | null): boolean {
  const isRepeat = old.publish_status === 'publishing' && old.claimed_from === 'unknown';
  if (!isRepeat || now.publish_status !== 'published') return false;
  return explained?.cause === 'settle' || (explained?.attempt ?? 0) <= countedIn(old);
}

function countedIn({ publish_status, publish_attempts }: Row): number {
  return publish_status === 'publishing' ? publish_attempts - 1 : publish_attempts;
}
