import type { GuardedFetch } from '../network/guardedFetch.ts';
import { boundedRules } from './boundedRules.ts';

/** `text`: what of an origin's robots.txt concerns us. `unknown`: it could not be had. */
export type RobotsRules =
  | { kind: 'rules'; text: string }
  | { kind: 'excessive' }
  | { kind: 'unknown'; detail: string };

/** RFC 9309, section 2.5: at least 500 KiB must be read. */
const maxBodyBytes = 500 * 1024;
const timeoutMs = 15_000;

const none: RobotsRules = { kind: 'rules', text: '' };

/**
 * Asks for an origin's robots.txt by RFC 9309, section 2.3.1: a 4xx, or redirects without end, mean that there
 * is none and all is allowed; a 5xx or a failure that nothing is known. So does 429, which asks us to keep away.
 * `token`: our name in it. Never throws.
 */
export async function fetchRules(
  origin: string,
  { fetch, token, signal }: { fetch: GuardedFetch; token: string; signal: AbortSignal },
): Promise<RobotsRules> {
  const headers = { accept: 'text/plain,*/*;q=0.5' };
  const options = { headers, maxBodyBytes, cutBody: true, timeoutMs, signal };
  const result = await fetch(`${origin}/robots.txt`, options);
  if (result.kind === 'failed') {
    const { failure, detail } = result;
    return failure === 'too_many_redirects' ? none : { kind: 'unknown', detail: `${failure}: ${detail}` };
  }
  const { status, body } = result;
  if (status === 429 || status >= 500) return { kind: 'unknown', detail: `the server answered ${status}` };
  if (status < 200 || status > 299) return none;
  const text = boundedRules(new TextDecoder().decode(body), token);
  return text === null ? { kind: 'excessive' } : { kind: 'rules', text };
}
