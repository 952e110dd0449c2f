const seconds = /^\d+(\.\d+)?$/;
const httpDate = /^[A-Z][a-z]+,? .*GMT$/;

/**
 * Reads a Retry-After header, seconds (counted from `now`) or an HTTP date, as an instant. Null when it is
 * absent or unreadable; an instant in the past or in fifty years is the caller's to clamp.
 */
export function parseRetryAfter(value: string | undefined, now: Date): Date | null {
  const text = value?.trim() ?? '';
  if (seconds.test(text)) return validDate(now.getTime() + Number(text) * 1_000);
  // Date.parse alone would read "12.5" as a day of May.
  return httpDate.test(text) ? validDate(Date.parse(text)) : null;
}

function validDate(epochMs: number): Date | null {
  const instant = new Date(epochMs);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
