import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { isDatabaseAway } from '../database/transact.ts';
import { defaultLimits } from '../limits.ts';
import { hostsToEnrich } from '../models/enrichment.ts';
import type { EnrichmentRun } from './EnrichmentRun.ts';
import { enrichHost, type HostTools } from './enrichHost.ts';

type Defaults = Pick<HostTools, 'newId' | 'claims' | 'pageMs' | 'wait'>;

/** `claims`: where the job notes those that it has in hand, for those who give them back; default: its own. */
export type EnrichArticlesOptions = Omit<HostTools, keyof Defaults> & Partial<Defaults>;

const hostsAtOnce = 8;

/**
 * Fills in from their pages what feeds do not say of their articles, host by host, several side by side; within
 * one the oldest article first. Whatever happens to one host, the others go on.
 */
export class EnrichArticlesJob {
  readonly #options: HostTools;

  constructor(options: EnrichArticlesOptions) {
    const defaults = { newId: randomUUID, claims: new Set<string>(), pageMs: defaultLimits.pageMs, wait };
    this.#options = { ...defaults, ...options };
  }

  /** `host`: only this one's. Throws when the database is away: that is no host's fault. */
  async handle(
    { host }: { host?: string },
    { clock, signal }: { clock: Clock; signal: AbortSignal },
  ): Promise<{ articles: EnrichmentRun[] }> {
    const waiting = host === undefined ? await hostsToEnrich(this.#options.db, clock.now()) : [host];
    const away = new AbortController();
    const articles: EnrichmentRun[] = [];
    const takeTurns = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (signal.aborted || away.signal.aborted) return;
        articles.push(...(await this.#run(next, { clock, signal }, error => away.abort(error))));
      }
    };
    await Promise.all(Array.from({ length: hostsAtOnce }, takeTurns));
    away.signal.throwIfAborted();
    return { articles };
  }

  async #run(
    host: string,
    context: { clock: Clock; signal: AbortSignal },
    isAway: (error: unknown) => void,
  ): Promise<EnrichmentRun[]> {
    const { logger } = this.#options;
    try {
      const runs = await enrichHost(host, { ...this.#options, ...context });
      for (const run of runs) if (run.outcome !== 'busy') logger.info({ ...run }, 'article enrichment');
      return runs;
    } catch (error) {
      if (isDatabaseAway(error)) isAway(error);
      else logger.error({ host, err: error }, 'host could not be asked');
      const detail = error instanceof Error ? error.message : String(error);
      return [{ host, articleId: null, outcome: 'postponed', detail }];
    }
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}
