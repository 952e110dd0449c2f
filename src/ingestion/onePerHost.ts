type Limits<Feed> = {
  /** Runs at once at most. */
  limit: number;
  hostOf: (feed: Feed) => string;
  signal: AbortSignal;
};

/**
 * Works through feeds in their order, several side by side but never two of one host, which must not be met
 * with a burst. Once the signal is aborted it takes no new one and waits for those that run. `work` must not
 * throw.
 */
export async function onePerHost<Feed, Result>(
  feeds: readonly Feed[],
  { limit, hostOf, signal }: Limits<Feed>,
  work: (feed: Feed) => Promise<Result>,
): Promise<Result[]> {
  const waiting = feeds.map(feed => ({ feed, host: hostOf(feed) }));
  const running = new Map<string, Promise<void>>();
  const results: Result[] = [];

  const startNext = (): boolean => {
    const place = waiting.findIndex(({ host }) => !running.has(host));
    const [next] = place === -1 ? [] : waiting.splice(place, 1);
    if (next === undefined) return false;
    const run = work(next.feed).then(result => {
      results.push(result);
      running.delete(next.host);
    });
    running.set(next.host, run);
    return true;
  };

  for (;;) {
    while (running.size < limit && !signal.aborted && startNext());
    if (running.size === 0) return results;
    await Promise.race(running.values());
  }
}
