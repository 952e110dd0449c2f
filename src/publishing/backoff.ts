import { maxPublishAttempts } from '../models/routeArticles.ts';

const minuteMs = 60_000;
const waitsInMinutes = [5, 30, 120, 360] as const;

/** When to try again after the `count`-th failure or refusal in a row (from 1): 5, 30, 120, then 360 minutes. */
export function waitUntil(at: Date, count: number): Date {
  const step = Math.min(Math.max(count, 1), waitsInMinutes.length) - 1;
  return new Date(at.getTime() + (waitsInMinutes[step] ?? 360) * minuteMs);
}

/** Whether the failure that brought `attempts` makes the article dead: excluded until a person retries it. */
export function hasExhaustedPublishAttempts(attempts: number): boolean {
  return attempts >= maxPublishAttempts;
}
