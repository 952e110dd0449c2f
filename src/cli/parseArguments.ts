import { InvalidArgumentError } from 'commander';
import { DateTime } from 'luxon';

/** Reads an instant with its offset. One without is refused: it would be somebody's local time, but whose? */
export function parseInstant(text: string): Date {
  const hasOffset = /T.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const instant = DateTime.fromISO(text, { setZone: true });
  if (!hasOffset || !instant.isValid) {
    throw new InvalidArgumentError(
      'Allowed: an ISO 8601 instant with its offset, such as 2026-11-30T09:00:00Z or 2026-11-30T10:00:00+01:00.',
    );
  }
  return instant.toJSDate();
}

/** Reads an id of a route article. */
export function parseId(text: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('Allowed: the number that "headway queue list" shows.');
  }
  return id;
}

/** For a variadic argument: each id is checked by itself. */
export function parseIds(text: string, previous: readonly number[] | undefined): readonly number[] {
  return [...(previous ?? []), parseId(text)];
}

/** A whole number between two bounds, both allowed. */
export function parseInteger(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`Allowed: a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

/** Reads an http or https URL. */
export function parseUrl(text: string): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isHttp) throw new InvalidArgumentError('Allowed: an http or https URL.');
  return text;
}
