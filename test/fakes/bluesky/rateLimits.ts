import type { Clock } from '../../../src/clock.ts';

type Limit = { points: number; seconds: number };

/** Of a PDS with its limits on; a write costs 2 points. */
const limits = {
  global: [{ points: 3_000, seconds: 300 }],
  logIn: [
    { points: 300, seconds: 86_400 },
    { points: 30, seconds: 300 },
  ],
  upload: [{ points: 1_000, seconds: 86_400 }],
  write: [
    { points: 5_000, seconds: 3_600 },
    { points: 35_000, seconds: 86_400 },
  ],
} as const satisfies Readonly<Record<string, readonly Limit[]>>;

export type LimitName = keyof typeof limits;

/** What a request leaves of a limit, in the headers of a PDS: the reset in seconds of the epoch, no Retry-After. */
export type Consumed = { isExceeded: boolean; headers: Record<string, string> };

/** Windows that begin with their first request. */
export class RateLimits {
  readonly #windows = new Map<string, { used: number; endsAtMs: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The tightest of the limits that a request counts against. */
  consume(names: readonly LimitName[], points: number): Consumed {
    const states = names.flatMap(name =>
      limits[name].map((limit, place) => this.#take(`${name} ${place}`, limit, points)),
    );
    const [tightest] = states.sort((a, b) => a.left - b.left);
    if (!tightest) return { isExceeded: false, headers: {} };
    return {
      isExceeded: tightest.left < 0,
      headers: {
        'RateLimit-Limit': String(tightest.limit.points),
        'RateLimit-Remaining': String(Math.max(0, tightest.left)),
        'RateLimit-Reset': String(Math.floor(tightest.endsAtMs / 1_000)),
        'RateLimit-Policy': `${tightest.limit.points};w=${tightest.limit.seconds}`,
      },
    };
  }

  #take(key: string, limit: Limit, points: number) {
    const nowMs = this.#clock.now().getTime();
    const found = this.#windows.get(key);
    const isOpen = found !== undefined && found.endsAtMs > nowMs;
    const window = isOpen ? found : { used: 0, endsAtMs: nowMs + limit.seconds * 1_000 };
    window.used += points;
    this.#windows.set(key, window);
    return { limit, left: limit.points - window.used, endsAtMs: window.endsAtMs };
  }
}
