import type { Clock } from '../clock.ts';
import { postponeHost } from '../models/enrichment.ts';
import type { EnrichmentRun } from './EnrichmentRun.ts';
import { enrichmentUnit, type LockHost } from './enrichmentLock.ts';
import { type EnrichmentTools, enrichNext, type Turn } from './enrichNext.ts';
import { recoverArticle } from './recoverArticles.ts';

export type HostTools = EnrichmentTools & {
  lock: LockHost;
  /** Waits; earlier if the signal aborts. Never throws. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** So that a host with many, or a slow one, does not hold up the others; it goes on with the next tick. */
const maxArticles = 20;
const longestRunMs = 60_000;
/** A longer pause is none that a run waits for. */
const longestPauseMs = 10_000;
const longestPostponementMs = 86_400_000;

/**
 * Reads the pages of a host that are due, oldest article first, one at a time and under the host's lock. The
 * lock is kept for the pause after the last one too: no other process asks the host any sooner.
 */
export async function enrichHost(
  host: string,
  tools: HostTools & { clock: Clock; signal: AbortSignal },
): Promise<EnrichmentRun[]> {
  const unit = await tools.lock(enrichmentUnit(host));
  if (unit === null) return [{ host, articleId: null, outcome: 'busy', detail: null }];
  try {
    const signal = AbortSignal.any([tools.signal, unit.signal]);
    const runs: EnrichmentRun[] = [];
    if (!signal.aborted) await recoverArticle(tools, host, tools.clock.now());
    const endsAt = tools.clock.now().getTime() + longestRunMs;
    const mayGoOn = () => runs.length < maxArticles && tools.clock.now().getTime() < endsAt;
    while (!signal.aborted && mayGoOn()) {
      const turn = await enrichNext({ ...tools, host, signal });
      if (turn === null) break;
      runs.push(turn.run);
      if (!(await pause(turn, host, { ...tools, signal }))) break;
    }
    return runs;
  } finally {
    await unit.release();
  }
}

/** False: the host is asked nothing more in this run. */
async function pause(
  { pauseMs, notBefore }: Turn,
  host: string,
  { db, clock, wait, signal }: HostTools & { clock: Clock; signal: AbortSignal },
): Promise<boolean> {
  if (signal.aborted) return false;
  const now = clock.now().getTime();
  const restMs = notBefore === null ? (pauseMs ?? 0) : notBefore.getTime() - now;
  if (restMs > longestPauseMs) {
    const until = new Date(now + Math.min(restMs, longestPostponementMs));
    await postponeHost(db, { host, until });
    return false;
  }
  if (pauseMs === null) return false;
  if (pauseMs > 0) await wait(pauseMs, signal);
  return true;
}
