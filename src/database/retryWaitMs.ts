const firstWaitMs = 200;
const longestWaitMs = 10_000;

/**
 * How long to wait after a try that failed, in milliseconds; `tries` were made before it. It doubles up to
 * 10 s, and is spread, so that many processes do not all come back in the same moment.
 */
export function retryWaitMs(tries: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** tries) * (0.5 + Math.random() / 2);
}
