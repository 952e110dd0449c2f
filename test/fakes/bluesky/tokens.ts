import type { Clock } from '../../../src/clock.ts';

export type TokenScope = 'com.atproto.appPass' | 'com.atproto.access' | 'com.atproto.refresh';

export type TokenRefusal = { status: number; error: string; message: string };

const lifetimeSeconds: Readonly<Record<TokenScope, number>> = {
  'com.atproto.appPass': 2 * 3_600,
  'com.atproto.access': 2 * 3_600,
  'com.atproto.refresh': 90 * 86_400,
};

/** The tokens of a PDS: JWTs by their form; the server knows its own by heart instead of by a signature. */
export class Tokens {
  readonly #issued = new Map<string, { scope: TokenScope; expiresAt: Date }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(scope: TokenScope, did: string): string {
    const iat = Math.floor(this.#clock.now().getTime() / 1_000);
    const exp = iat + lifetimeSeconds[scope];
    const head = { typ: scope === 'com.atproto.refresh' ? 'refresh+jwt' : 'at+jwt', alg: 'HS256' };
    const claims = { scope, aud: 'did:web:pds.test', sub: did, iat, exp };
    const parts = [head, claims, `signature ${this.#issued.size}`];
    const token = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    this.#issued.set(token, { scope, expiresAt: new Date(exp * 1_000) });
    return token;
  }

  /** Null: it is good for that. */
  refusal(authorization: string | undefined, purpose: 'access' | 'refresh'): TokenRefusal | null {
    if (authorization === undefined) {
      return { status: 401, error: 'AuthMissing', message: 'Authentication Required' };
    }
    const invalid = (message: string) => ({ status: 400, error: 'InvalidToken', message });
    const found = this.#issued.get(tokenIn(authorization));
    if (!found) return invalid('Token could not be verified');
    if (found.expiresAt <= this.#clock.now()) {
      return { status: 400, error: 'ExpiredToken', message: 'Token has expired' };
    }
    const isRefresh = found.scope === 'com.atproto.refresh';
    return isRefresh === (purpose === 'refresh') ? null : invalid('Invalid token type');
  }

  /** What was opened with the app password is no longer refreshed; access tokens go on. */
  revokeRefreshTokens(): void {
    for (const [token, { scope }] of this.#issued) {
      if (scope === 'com.atproto.refresh') this.#issued.set(token, { scope, expiresAt: new Date(0) });
    }
  }
}

function tokenIn(authorization: string): string {
  return authorization.replace(/^Bearer /, '');
}
