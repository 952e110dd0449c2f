import { z } from 'zod';
import { durationForm, formatDuration, parseDuration } from '../duration.ts';

// Keys that several platforms have, with the same meaning on each.

/** The address of a server that people run: `https://lemmy.example`, or a folder of it. Without a `/` at its end. */
export const instanceUrl = z
  .string('must be the address of a server, such as https://social.example')
  .refine(isServerUrl, 'must be an http or https URL without a user name, query or fragment')
  .transform(text => {
    const { origin, pathname } = new URL(text);
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  });

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && [username, password, search, hash].every(part => part === '');
}

/** A secret, as text. Empty is an error: it is what a forgotten variable of the environment leaves. */
export const secretText = z.string('must be text').min(1, 'must not be empty');

const longestLookBackMs = 366 * 86_400_000;

/**
 * `duplicates`: how far back what is there already is looked for before each send, `off`: not at all. It stays
 * as it is written; `lookBackMs` reads it.
 */
export function duplicates(byDefault: string) {
  return z
    .string()
    .refine(isLookBack, `must be off, or ${durationForm}, up to ${formatDuration(longestLookBackMs)}`)
    .default(byDefault);
}

/** Milliseconds of a `duplicates` setting; null: off. */
export function lookBackMs(setting: string): number | null {
  return setting === 'off' ? null : parseDuration(setting);
}

function isLookBack(text: string): boolean {
  if (text === 'off') return true;
  try {
    const durationMs = parseDuration(text);
    return durationMs > 0 && durationMs <= longestLookBackMs;
  } catch {
    return false;
  }
}

/**
 * `image`: what becomes of an article's picture. `optional`: it costs itself, not the post, where it cannot be
 * had. `required`: the article fails alone then. `off`: none is sent.
 */
export const image = z
  .enum(['optional', 'required', 'off'], 'must be optional, required or off')
  .default('optional');

export type ImageChoice = z.infer<typeof image>;

/** `language`: of what is posted (BCP 47, such as `en` or `de-AT`), where the feed does not say or is wrong. */
export const language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en or de-AT')
  .optional();

/** `content`: what the body of a blog's post says (see `articleHtml`). */
export const content = z.enum(['summary', 'text'], 'must be summary or text').default('summary');
