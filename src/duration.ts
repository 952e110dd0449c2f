/** What may be written for a length of time, for messages. */
export const durationForm = 'a number and a unit, such as 500ms, 90s, 5m, 2h or 7d';

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
type Unit = keyof typeof unitMs;

/** Reads `90s`, `5m`, `2h`, `7d` or `500ms` as milliseconds. Throws an Error that says what is allowed. */
export function parseDuration(text: string): number {
  const [, digits, unit] = /^\s*(\d{1,9})\s*(ms|s|m|h|d)\s*$/.exec(text) ?? [];
  if (digits === undefined || !isUnit(unit)) throw new Error(`is not a duration, allowed: ${durationForm}`);
  return Number(digits) * unitMs[unit];
}

/** Writes milliseconds in the largest unit that divides them: what `parseDuration` reads back. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  const unit = Object.keys(unitMs).find(unit => isUnit(unit) && durationMs % unitMs[unit] === 0);
  return isUnit(unit) ? `${durationMs / unitMs[unit]}${unit}` : `${durationMs}ms`;
}

function isUnit(unit: string | undefined): unit is Unit {
  return unit !== undefined && Object.hasOwn(unitMs, unit);
}
