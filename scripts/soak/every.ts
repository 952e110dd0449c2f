import { setTimeout as sleep } from 'node:timers/promises';

/** Sleeps, but not beyond the end of what it is for. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Does something again and again until the signal; resolves when the last time is over. An error is told and
 * ends nothing: the servers that are asked are being tormented.
 */
export async function every(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(error => console.error(`soak: ${error instanceof Error ? error.stack : error}`));
    await pause(ms, signal);
  }
}
