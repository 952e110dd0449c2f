import type { Clock } from '../clock.ts';
import type { GuardedFetch } from '../network/guardedFetch.ts';
import { fetchRules, type RobotsRules } from './fetchRules.ts';
import { judge, type RobotsVerdict } from './judge.ts';

export type Robots = {
  /**
   * Whether a page may be read, by the robots.txt of its origin (RFC 9309); `unknown`: it cannot be told, now or
   * at all. Waits at most for one fetch; cut off by the signal it answers `unknown` at once. Never throws.
   */
  verdict: (url: string, signal: AbortSignal) => Promise<RobotsVerdict>;
};

type RobotsOptions = {
  fetch: GuardedFetch;
  /** As requests bear it: what stands before its `/` is the name that robots.txt knows us by. */
  userAgent: string;
  clock: Clock;
};

type Entry = {
  rules: Promise<RobotsRules>;
  /** Null: its fetch is under way. */
  until: Date | null;
  waiting: number;
  cut: AbortController;
};

const keptMs = 24 * 60 * 60 * 1_000;
/** For what could not be had. */
const unknownMs = 5 * 60 * 1_000;
const maxOrigins = 500;

/** Asks each origin's robots.txt once in 24 hours, whoever asks meanwhile, and keeps the last 500. */
export function createRobots({ fetch, userAgent, clock }: RobotsOptions): Robots {
  const token = userAgent.split('/', 1)[0]?.trim() ?? userAgent;
  const entries = new Map<string, Entry>();

  const verdict = async (url: string, signal: AbortSignal): Promise<RobotsVerdict> => {
    const origin = httpOrigin(url);
    if (origin === null) return { kind: 'unknown', detail: 'not an http or https address' };
    if (signal.aborted) return cutOff;
    const entry = current(origin) ?? open(origin);
    const rules = await waitFor(origin, entry, signal);
    return rules === null ? cutOff : judge(rules, { url, token });
  };

  const current = (origin: string): Entry | null => {
    const entry = entries.get(origin);
    if (entry === undefined) return null;
    return entry.until === null || entry.until > clock.now() ? entry : null;
  };

  const open = (origin: string): Entry => {
    const cut = new AbortController();
    const rules = fetchRules(origin, { fetch, token, signal: cut.signal });
    const entry: Entry = { rules, until: null, waiting: 0, cut };
    // At the end of the order, where the youngest are.
    entries.delete(origin);
    entries.set(origin, entry);
    for (const oldest of entries.keys()) if (entries.size > maxOrigins) entries.delete(oldest);
    void rules.then(({ kind }) => {
      entry.until = new Date(clock.now().getTime() + (kind === 'unknown' ? unknownMs : keptMs));
    });
    return entry;
  };

  /** Null: cut off. A fetch that no one waits for any more is given up, and asked anew by who comes next. */
  const waitFor = async (origin: string, entry: Entry, signal: AbortSignal): Promise<RobotsRules | null> => {
    entry.waiting += 1;
    const { promise: aborted, resolve } = resolvable<null>();
    const abort = () => resolve(null);
    signal.addEventListener('abort', abort, { once: true });
    const rules = await Promise.race([entry.rules, aborted]);
    signal.removeEventListener('abort', abort);
    entry.waiting -= 1;
    if (rules === null && entry.waiting === 0 && entry.until === null) {
      entry.cut.abort();
      if (entries.get(origin) === entry) entries.delete(origin);
    }
    return rules;
  };

  return { verdict };
}

const cutOff: RobotsVerdict = { kind: 'unknown', detail: 'told to stop' };

function httpOrigin(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) ? origin : null;
}

function resolvable<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}
