import type { ReceivedRequest } from '../../support/fakeReceiver.ts';
import type { FakePerson, LemmyWorld } from './world.ts';

export type Reply = { status: number; body: unknown; headers?: Record<string, string> };

export type Call = {
  /** `POST /post`, without the version. */
  route: string;
  query: URLSearchParams;
  form: Record<string, unknown>;
  request: ReceivedRequest;
  /** Null: nobody, or somebody with a bad token, which is the same. */
  viewer: FakePerson | null;
};

/** Tokens, limits, and whatever else an instance keeps beside its posts. */
export class LemmyServer {
  readonly world: LemmyWorld;
  readonly #tokens = new Map<string, FakePerson>();
  readonly keys = new Set<string>();
  logIns = 0;
  /** How many posts its limit leaves. */
  postsLeft = Number.POSITIVE_INFINITY;
  searchesLeft = Number.POSITIVE_INFINITY;
  hasSearch = true;
  needsTotp = false;
  isPrivate = false;

  constructor(world: LemmyWorld) {
    this.world = world;
  }

  /** A log-in: a token, or the code of a refusal. */
  logIn(form: Record<string, unknown>): { jwt: string } | { error: string } {
    const person = this.world.people.find(({ name }) => name === form.username_or_email);
    if (!person || person.password !== form.password) return { error: 'incorrect_login' };
    if (this.needsTotp) return { error: 'missing_totp_token' };
    this.logIns += 1;
    const jwt = `jwt-of-${person.name}-${this.logIns}`;
    this.#tokens.set(jwt, person);
    return { jwt };
  }

  viewer({ headers }: ReceivedRequest): FakePerson | null {
    return this.#tokens.get((headers.authorization ?? '').replace(/^Bearer /, '')) ?? null;
  }

  revokeTokens(): void {
    this.#tokens.clear();
  }
}

/** The value of a number in a query; undefined: it is not there. */
export function numberIn(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  return value === null ? undefined : Number(value);
}

/** The value of a switch in a query; undefined: it is not there. */
export function booleanIn(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value === 'true';
}
