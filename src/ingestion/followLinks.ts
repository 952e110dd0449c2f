import type { FetchFailure, FetchResult, GuardedFetch } from '../network/guardedFetch.ts';
import { timeLimit } from '../timeLimit.ts';
import { hostOf, type InTurn } from './hostTurns.ts';
import { onePerHost } from './onePerHost.ts';

export type FollowTools = {
  fetch: GuardedFetch;
  inTurn: InTurn;
  /** For all links together. */
  linksMs: number;
  signal: AbortSignal;
};

const linksAtOnce = 8;
/** A page that takes longer is not waited for. */
const longestMs = 5_000;
/** Hosts that do not answer, until it is we who are cut off: the look-ups of names are slow then, and shared. */
const mostUnwell = 5;

/**
 * Asks where links lead, eight side by side and one per host, and reads no page. Answers with the address at
 * which each ended. Left out is what could not be followed: in time, within five hops, to public addresses. A
 * host that does not answer, or asks to be left alone, is asked for nothing more; where most do not, none is.
 */
export async function followLinks(
  links: readonly string[],
  { fetch, inTurn, linksMs, signal }: FollowTools,
): Promise<ReadonlyMap<string, string>> {
  const ends = new Map<string, string>();
  const leftAlone = new Set<string>();
  const limited = timeLimit(signal, linksMs);
  const options = { headersOnly: true, headers: { accept }, timeoutMs: longestMs, signal: limited };

  await onePerHost(links, { limit: linksAtOnce, hostOf, signal: limited }, link =>
    inTurn(link, async () => {
      const isHopeless = leftAlone.size >= mostUnwell && leftAlone.size > ends.size;
      if (limited.aborted || isHopeless || leftAlone.has(hostOf(link))) return;
      const result = await fetch(link, options);
      if (isHostUnwell(result, link)) leftAlone.add(hostOf(link));
      const end = endOf(result);
      if (end !== null) ends.set(link, end);
    }),
  );
  return ends;
}

const accept = 'text/html, application/xhtml+xml, */*;q=0.8';

/**
 * A page that says "not found" or "not for you" has an address too. And where a redirect led to is its word,
 * whether what lies there answers just now or not: else one story would go out twice on a bad day.
 */
function endOf(result: FetchResult): string | null {
  if (result.kind === 'answered') return result.url;
  return endless.has(result.failure) ? null : (result.ledTo ?? null);
}

/** What a redirect may come to that is not to be followed, and what our own limit ends. */
const endless: ReadonlySet<FetchFailure> = new Set([
  'address_refused',
  'invalid_url',
  'too_many_redirects',
  'aborted',
]);

const faultsOfLinks: ReadonlySet<FetchFailure> = new Set(['invalid_url', 'too_many_redirects']);

function isHostUnwell(result: FetchResult, link: string): boolean {
  if (result.kind === 'failed') return result.ledTo === undefined && !faultsOfLinks.has(result.failure);
  return hostOf(result.url) === hostOf(link) && (result.status === 429 || result.status === 503);
}
