import { type Asked, type Asker, askLemmy, type NotSaid } from './askLemmy.ts';
import { communityName } from './communityName.ts';
import type { Dialect, SeenAccount, SeenCommunity } from './Dialect.ts';
import type { LemmyAccount, LemmySession } from './types.ts';
import { v3 } from './v3.ts';
import { v4 } from './v4.ts';

/** A session at work: whom it asks, and how. */
export type LogIn = { asker: Asker; dialect: Dialect };

/** Takes up a session. `at`: the instant of what it is used for. */
export function logIn(
  { credentials: { instance }, session }: LemmyAccount,
  { at, send }: { at: Date; send: Asker['send'] },
): LogIn {
  return { asker: { instance, jwt: session.jwt, at, send }, dialect: dialectOf(session) };
}

/** How a session's API is spoken. */
export function dialectOf({ api }: Pick<LemmySession, 'api'>): Dialect {
  return api === 'v4' ? v4 : v3;
}

/**
 * The account as its own token shows it, which is also the proof that the token is valid: every other question
 * is answered without it as to anybody.
 */
export async function readAccount({ asker, dialect }: LogIn): Promise<Asked<SeenAccount>> {
  const asked = await askLemmy(asker, dialect.account);
  if (asked.kind === 'not_said') {
    return asked.status === 404
      ? unauthorized('the instance no longer speaks the API of this session')
      : asked;
  }
  const { said: account } = asked;
  if (account === null) return unauthorized('the instance does not take the token of this session any more');
  if (account.isBanned) return banned();
  // Its v3 is a shim since 1.0, which searches without filters.
  if (account.version !== null && !account.version.startsWith('0.')) {
    return unauthorized(`the instance runs Lemmy ${account.version} now, which has another API`);
  }
  return { ...asked, said: account };
}

/** The channel's community. Asked with a bad token it is not found where nobody here has joined it yet. */
export async function readCommunity(
  { asker, dialect }: LogIn,
  target: string,
): Promise<Asked<SeenCommunity>> {
  const asked = await askLemmy(asker, dialect.community(communityName(target, asker.instance)));
  if (asked.kind === 'said' || asked.status !== 404) return asked;
  const { detail } = asked.why;
  return {
    ...asked,
    why: { kind: 'blocked', scope: 'channel', code: 'not_found', detail, isGone: false },
  };
}

function unauthorized(detail: string): NotSaid {
  const why = { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false } as const;
  return { kind: 'not_said', status: null, why };
}

function banned(): NotSaid {
  const detail = 'the account is banned from its instance';
  const why = { kind: 'blocked', scope: 'account', code: 'forbidden', detail, isGone: true } as const;
  return { kind: 'not_said', status: null, why };
}
