import { parseRetryAfter } from '../network/retryAfter.ts';

const dayMs = 24 * 3_600_000;

/**
 * How long a server asks to be left alone, in ms: the longer of Retry-After and Cache-Control's max-age, less
 * the age that a cache admits to. Never more than a day: a header must not switch a feed off.
 */
export function minimumWaitMs(headers: Readonly<Record<string, string>>, now: Date): number {
  const retryAfter = parseRetryAfter(headers['retry-after'], now);
  const retryMs = retryAfter === null ? 0 : retryAfter.getTime() - now.getTime();
  return Math.min(dayMs, Math.max(0, retryMs, freshForMs(headers)));
}

function freshForMs(headers: Readonly<Record<string, string>>): number {
  const control = headers['cache-control'] ?? '';
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const maxAge = seconds(/\bmax-age\s*=\s*"?(\d{1,10})/i.exec(control)?.[1]);
  return (maxAge - seconds(headers.age)) * 1_000;
}

function seconds(text: string | undefined): number {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0;
}
