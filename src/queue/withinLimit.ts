/** What `withinLimit` throws: the work may still be going on, nobody waits for it any longer. */
export class LimitExceededError extends Error {
  override name = 'LimitExceededError';
  /** As the system's own errors name it. */
  readonly code = 'ETIMEDOUT';
}

/**
 * Waits for `work` for at most `limitMs` milliseconds. A store that is down leaves BullMQ's promises
 * pending for ever, so every wait on one goes through here. Throws `LimitExceededError`; a later
 * rejection of `work` is then dropped, because its caller has already been told.
 */
export async function withinLimit<Result>(work: Promise<Result>, limitMs: number, what: string) {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new LimitExceededError(`${what} did not end within ${limitMs} ms`)),
      limitMs,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
