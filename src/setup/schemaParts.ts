import { z } from 'zod';
import { durationForm, formatDuration, parseDuration } from '../duration.ts';

/**
 * A field that `parse` reads; it answers null or throws for what it cannot. `what` is wrong then, and
 * `allowed` says what may stand there: the value got is added with the line, where it can be hidden.
 */
export function field<Value>(what: string, allowed: string, parse: (value: unknown) => Value | null) {
  return z.unknown().transform((value, context): Value => {
    const parsed = value === undefined ? null : attempt(parse, value);
    if (parsed !== null) return parsed.value;
    const message = value === undefined ? 'is missing' : what;
    context.addIssue({ code: 'custom', message, params: { allowed, isMissing: value === undefined } });
    return z.NEVER;
  });
}

/** What may be written for a secret, for messages. */
export const secretForm = 'a string that is not empty, or a list of them';

const textForm = 'a string that is not empty (numbers in quotes)';

/** A name or another short text: one line, no spaces around it. */
export const words = field('must be text', `${textForm}, one line, no spaces around it`, value => {
  const isName = typeof value === 'string' && value !== '' && value.length <= 200 && value === value.trim();
  return isName && !/\p{Cc}/u.test(value) ? value : null;
});

/** Text in which spaces mean something, such as a filter. */
export const phrase = field('must be text', textForm, value =>
  typeof value === 'string' && value ? value : null,
);

/** Milliseconds, within both ends. */
export function duration(leastMs: number, mostMs: number) {
  const range = `${durationForm}, from ${formatDuration(leastMs)} to ${formatDuration(mostMs)}`;
  return field('is not a duration in range', range, value => {
    const durationMs = typeof value === 'string' ? parseDuration(value) : Number.NaN;
    return durationMs >= leastMs && durationMs <= mostMs ? durationMs : null;
  });
}

/** A whole number within both ends; as digits in a string too, since `${NAME}` gives strings. */
export function wholeNumber(least: number, most: number) {
  return field('is not a whole number in range', `${least} to ${most}`, value =>
    readInteger(value, least, most),
  );
}

/** A cap on publications per day; null for `none`. */
export const dailyCap = field(
  'is not a cap',
  'a whole number from 0 (nothing goes out), or none (no cap)',
  (value): { cap: number | null } | null => {
    if (value === 'none') return { cap: null };
    const cap = readInteger(value, 0, 2_147_483_647);
    return cap === null ? null : { cap };
  },
).transform(({ cap }) => cap);

/** True or false; as text too, since `${NAME}` gives strings. */
export const flag = field('is not a yes or no', 'true or false', value => {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'boolean' ? value : null;
});

/** One of these words. */
export function choice<Choice extends string>(choices: readonly Choice[]) {
  return field(
    'is none of the choices',
    choices.join(' or '),
    value => choices.find(one => one === value) ?? null,
  );
}

function readInteger(value: unknown, least: number, most: number): number | null {
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  const isInRange = typeof number === 'number' && number >= least && number <= most;
  return isInRange && Number.isInteger(number) ? number : null;
}

function attempt<Value>(parse: (value: unknown) => Value | null, value: unknown): { value: Value } | null {
  try {
    const parsed = parse(value);
    return parsed === null ? null : { value: parsed };
  } catch {
    return null;
  }
}
