import { tickOffsetMs } from './tickOffset.ts';

type Ticking = { id: number; tickIntervalMs: number };

const snapMs = 5_000;

/**
 * The instant that a tick counts by. Within 5 s of a slot's start (or a tenth of the interval, if that is
 * less), on either side, it is that start: a timer that fires 13 ms early, or 300 ms late, must not turn
 * a 5-minute wait into ten.
 */
export function tickInstant(now: Date, workspace: Ticking): Date {
  const tolerance = Math.min(snapMs, workspace.tickIntervalMs / 10);
  const begin = slotOf(now, workspace);
  const next = new Date(begin.getTime() + workspace.tickIntervalMs);
  if (now.getTime() - begin.getTime() <= tolerance) return begin;
  if (next.getTime() - now.getTime() <= tolerance) return next;
  return now;
}

/** The start of the interval that `at` lies in, counted from the workspace's own offset. */
export function slotOf(at: Date, { id, tickIntervalMs }: Ticking): Date {
  const offset = tickOffsetMs(id, tickIntervalMs);
  const index = Math.floor((at.getTime() - offset) / tickIntervalMs);
  return new Date(index * tickIntervalMs + offset);
}

/** The first slot that starts after `at`. */
export function nextSlot(at: Date, workspace: Ticking): Date {
  return new Date(slotOf(at, workspace).getTime() + workspace.tickIntervalMs);
}

/** The first slot that starts at or after `at`: when something that is free from `at` on is looked at. */
export function slotFrom(at: Date, workspace: Ticking): Date {
  const slot = slotOf(at, workspace);
  return slot.getTime() === at.getTime() ? slot : nextSlot(at, workspace);
}
