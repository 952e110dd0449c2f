/**
 * Waits for a platform's work as long as its signal lets it. Null: that was aborted first. What does not heed
 * its signal must not hold the tick; nobody hears what comes of it.
 */
export async function unlessCutOff<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | null> {
  const listening = new AbortController();
  const cutOff = new Promise<null>(resolve => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { signal: listening.signal });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, cutOff]);
  } finally {
    listening.abort();
  }
}
