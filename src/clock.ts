/** Where time comes from. Rules take instants; only jobs, handlers and deadlines ask a clock. */
export type Clock = {
  now(): Date;
};

/** The system's clock: the only place that reads it. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still at `instant`: rehearsals (`--at`) and tests. */
export function standingClock(instant: Date): Clock {
  return { now: () => new Date(instant) };
}
