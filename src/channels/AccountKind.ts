import type { z } from 'zod';
import type { NotComposed } from './Channel.ts';
import type { SendRequest } from './sendRequest.ts';

/** What an account of a platform is: its keys in `config.yaml`, and the session that they open. */
export type AccountKind<Credentials = unknown, Session = unknown> = {
  /** Parses `instance`, `username` and the secret keys, as far as the platform has them. Unknown keys are errors. */
  credentials: z.ZodType<Credentials>;
  /** Which of those keys are secrets: sealed at rest, never exported or logged. */
  secretKeys: readonly string[];
  /** Parses a session that was stored; what it does not take is opened anew. */
  session: z.ZodType<Session>;
  /**
   * Opens a session, or refreshes the `previous` one where the platform can. It is stored and used until it
   * expires or is refused, by every process; so it also holds what is asked once and not for each post
   * (ids, limits). Called under the account's lock. Credentials that are refused are `blocked`, scope
   * `account`, `isGone`: no retry can mend them.
   */
  openSession(
    credentials: Credentials,
    previous: Session | null,
    context: SessionContext,
  ): Promise<SessionAnswer<Session>>;
};

export type SessionContext = { openedAt: Date; send: SendRequest; signal: AbortSignal };

export type SessionAnswer<Session> =
  /** `expiresAt` null: when it is refused. */
  { kind: 'opened'; session: Session; expiresAt: Date | null } | NotComposed;
