import { setTimeout as sleep } from 'node:timers/promises';

type Falsy = false | null | undefined | 0 | '';

/**
 * Waits for a condition and answers with its first truthy value. Throws after `timeoutMs`, with the last
 * error of the condition as the cause: while it throws it counts as not yet true.
 */
export async function until<Value>(
  condition: () => Value | Falsy | Promise<Value | Falsy>,
  { timeoutMs = 10_000, intervalMs = 25 } = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`not true within ${timeoutMs} ms: ${condition}`, { cause: lastError });
    }
    await sleep(intervalMs);
  }
}
