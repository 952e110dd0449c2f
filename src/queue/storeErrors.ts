import type { Logger } from '../logger.ts';

const maxKnown = 20;
// Each connection comes back by itself: the first that does ends nothing while the others still fail.
const calmMs = 2_000;

export type StoreErrors = {
  /** Logs an error of the queue store unless it was logged since the last `clear`. */
  report(error: unknown): void;
  /** The store answers: logs the end of the trouble, if there was any and nothing failed for 2 s. */
  clear(): void;
};

export type StoreErrorsOptions = {
  /** Whether an error was told of elsewhere, and is no trouble of the store. Default: never. */
  isTold?: (error: unknown) => boolean;
  /** Called with every error, told of or not. */
  onError?: () => void;
};

/**
 * One log line per change, not per error: a store that is down or out of memory raises thousands of
 * errors a second, and each of its connections raises its own.
 */
export function createStoreErrors(
  logger: Logger,
  { isTold = () => false, onError = () => {} }: StoreErrorsOptions = {},
): StoreErrors {
  const known = new Set<string>();
  let failedAtMs = -calmMs;
  let isTickLossTold = false;
  return {
    report(error) {
      onError();
      if (isTold(error)) return;
      const text = describe(error);
      if (isTickLoss(text)) {
        if (!isTickLossTold) logger.warn(`tick given to another worker: ${text}`);
        isTickLossTold = true;
        return;
      }
      failedAtMs = performance.now();
      const kind = isUnreachable(error, text) ? 'unreachable' : withoutIds(text);
      if (known.has(kind)) return;
      if (known.size >= maxKnown) known.clear();
      known.add(kind);
      logger.error({ err: error }, `queue store failed: ${text}`);
    },
    clear() {
      isTickLossTold = false;
      if (known.size === 0 || performance.now() - failedAtMs < calmMs) return;
      known.clear();
      logger.info('queue store recovered');
    },
  };
}

// A process that froze, or did not reach the store, for so long that BullMQ gave its tick to another one. That
// looks at the clock and at the database, so nothing has failed.
function isTickLoss(text: string): boolean {
  return /^(could not renew lock for|Missing lock for|Job \S+ is not in the active state)/.test(text);
}

// One trouble, though each connection and each command tells it in words of its own.
function isUnreachable(error: unknown, text: string): boolean {
  if (error instanceof AggregateError) return error.errors.every(one => isUnreachable(one, describe(one)));
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^E(?!RR_)[A-Z_]+$/.test(code) || unreachable.test(text);
}

const unreachable =
  /^(connect |read E|Socket timeout|Command timed out|Connection is closed|Reached the max retries per request)/;

// BullMQ names the job, of which there is another one each time.
function withoutIds(text: string): string {
  return text.replace(/\S*\d\S*/g, '#');
}

// Node reports a refused connection to a name with two addresses as an AggregateError without a text.
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
}
