import type { Clock } from '../../../src/clock.ts';
import type { ReceivedRequest } from '../../support/fakeReceiver.ts';
import { type LimitName, RateLimits } from './rateLimits.ts';
import { Repository } from './repository.ts';
import { Tokens } from './tokens.ts';

export type Reply = { status: number; body: unknown; headers?: Record<string, string> };

export type Method = (request: ReceivedRequest, search: URLSearchParams) => Reply;

export type AccountState = 'active' | 'deactivated' | 'takendown' | 'deleted';

/** One account and its server, as its methods see them. */
export class PdsState {
  readonly did = 'did:plc:5cluw43iifxh2ejo2lhczpre';
  readonly password = 'a password of the account itself';
  readonly appPassword = 'abcd-efgh-ijkl-mnop';
  readonly handle: string;
  readonly tokens: Tokens;
  readonly limits: RateLimits;
  readonly repository = new Repository();
  readonly #hasRateLimits: boolean;
  account: AccountState = 'active';
  isAppPasswordRevoked = false;
  logIns = 0;
  refreshes = 0;

  constructor({ handle, clock, hasRateLimits }: { handle: string; clock: Clock; hasRateLimits: boolean }) {
    this.handle = handle;
    this.tokens = new Tokens(clock);
    this.limits = new RateLimits(clock);
    this.#hasRateLimits = hasRateLimits;
  }

  isHere(repo: string | null): boolean {
    return repo === this.did || repo === this.handle;
  }

  uriOf(key: string): string {
    return `at://${this.did}/app.bsky.feed.post/${key}`;
  }

  /** Counts a request against its limits; answers it while there is something left of them. */
  limited(names: readonly LimitName[], points: number, answer: () => Reply): Reply {
    if (!this.#hasRateLimits) return answer();
    const { isExceeded, headers } = this.limits.consume(['global', ...names], points);
    const reply = isExceeded ? refusal(429, 'RateLimitExceeded', 'Rate Limit Exceeded') : answer();
    return { ...reply, headers };
  }

  /** By its token; null: it is let in. */
  notLetIn({ headers }: ReceivedRequest, purpose: 'access' | 'refresh'): Reply | null {
    const refused = this.tokens.refusal(headers.authorization, purpose);
    return refused && refusal(refused.status, refused.error, refused.message);
  }

  /** By the state of the account, apart from its owner's own; null: none. */
  notThere(): Reply | null {
    if (this.account === 'deleted') return refusal(403, 'AccountNotFound', 'Account not found');
    return this.account === 'takendown' ? takenDown() : null;
  }
}

export function ok(body: unknown): Reply {
  return { status: 200, body };
}

/** An error as a PDS says it. */
export function refusal(status: number, error: string, message: string): Reply {
  return { status, body: { error, message } };
}

export function takenDown(): Reply {
  return refusal(401, 'AccountTakedown', 'Account has been taken down');
}

/** A request's body as JSON; null: it is none. */
export function bodyOf({ body }: ReceivedRequest): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
