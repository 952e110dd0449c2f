import type { Logger } from '../logger.ts';

const maxKnown = 20;

export type StoreErrors = {
  /** Logs an error of the queue store unless it was logged since the last `clear`. */
  report(error: unknown): void;
  /** The store answers: logs the end of the trouble, if there was any. */
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
  return {
    report(error) {
      onError();
      if (isTold(error)) return;
      const text = describe(error);
      const kind = withoutIds(text);
      if (known.has(kind)) return;
      if (known.size >= maxKnown) known.clear();
      known.add(kind);
      logger.error({ err: error }, `queue store failed: ${text}`);
    },
    clear() {
      if (known.size === 0) return;
      known.clear();
      logger.info('queue store recovered');
    },
  };
}

// BullMQ names the job, of which there is another one each time.
function withoutIds(text: string): string {
  return text.replace(/\S*\d\S*/g, '#');
}

// Node reports a refused connection to a name with two addresses as an AggregateError without a text.
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
}
