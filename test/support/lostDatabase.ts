import pg from 'pg';
import { onTestFinished, vi } from 'vitest';

export type Loss = {
  /** A statement's name, or its text: `commit` is the gate's, `COMMIT;` that of other transactions. */
  at: string;
  /** Whether the server had carried it out when the connection was lost. */
  isDone: boolean;
  /** How many times in all, counted from the `from`-th on. Default: once, the first. */
  times?: number;
  from?: number;
};

type Query = (...args: unknown[]) => unknown;
type Callback = (error: unknown, result?: unknown) => void;

/** Loses the connection at chosen statements of this process, until the test is over. Returns how often it has. */
export function loseDatabase({ at, isDone, times = 1, from = 1 }: Loss): () => number {
  let seen = 0;
  let lost = 0;
  const query: Query = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const isMeant = nameOf(args[0]) === at;
    if (isMeant) seen += 1;
    if (!isMeant || seen < from || lost >= times) return query.apply(this, args);
    lost += 1;
    const callback = args.findLast((each): each is Callback => typeof each === 'function');
    // The server rolls back what was not committed on a connection that is lost.
    const carriedOut = isDone ? args : ['rollback'];
    const done = new Promise(resolve => settle(query, this, carriedOut, resolve));
    const failed = done.then(() => Promise.reject(connectionLost()));
    if (!callback) return failed;
    return failed.catch(callback);
  } as typeof pg.Client.prototype.query);
  onTestFinished(() => spy.mockRestore());
  return () => lost;
}

function settle(query: Query, client: pg.Client, args: unknown[], resolve: (value: unknown) => void): void {
  const withoutCallback = args.filter(each => typeof each !== 'function');
  query.apply(client, [...withoutCallback, resolve]);
}

function nameOf(query: unknown): string {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null) return '';
  const { name, text }: { name?: unknown; text?: unknown } = query;
  return typeof name === 'string' ? name : String(text);
}

function connectionLost(): Error {
  return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
}
