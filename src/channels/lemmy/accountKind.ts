import { z } from 'zod';
import type { AccountKind, SessionAnswer, SessionContext } from '../AccountKind.ts';
import { describeAnswer, outcomeBeforePost } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { instanceUrl, secretText } from '../settingsParts.ts';
import { type Asker, readAnswer, request } from './askLemmy.ts';
import { dialectOf, readAccount } from './logIn.ts';
import { errorCode, refusalIn } from './refusals.ts';
import type { LemmyApi, LemmyCredentials, LemmySession } from './types.ts';

const credentials = z.strictObject({
  instance: instanceUrl,
  username: z
    .string('must be the name of the account, or its e-mail address')
    .trim()
    .min(1, 'must not be empty'),
  password: secretText,
});

const session = z.object({ api: z.enum(['v3', 'v4']), jwt: z.string().min(1), personId: z.number() });

/** An account of a Lemmy instance, without two-factor log-in. */
export const lemmyAccount: AccountKind<LemmyCredentials, LemmySession> = {
  credentials,
  secretKeys: ['password'],
  session,
  openSession,
};

/** Log-ins are few (three an hour by default), so a session is used until it is refused. */
async function openSession(
  { instance, username, password }: LemmyCredentials,
  _previous: LemmySession | null,
  { openedAt: at, send }: SessionContext,
): Promise<SessionAnswer<LemmySession>> {
  const asker: Asker = { instance, jwt: null, at, send };
  const api = await detectApi(asker);
  if (typeof api !== 'string') return api;
  const dialect = dialectOf({ api });

  const form = { username_or_email: username, password };
  const result = await request(asker, { method: 'POST', path: dialect.loginPath, body: form });
  const answer = readAnswer(asker, result, z.object({ jwt: z.string().min(1) }), [password]);
  if (answer.kind === 'not_said') {
    return atLogIn(answer.why, result.phase === 'answered' ? errorCode(result) : null);
  }
  const { jwt } = answer.said;
  const me = await readAccount({ asker: { ...asker, jwt }, dialect });
  if (me.kind === 'not_said') return me.why;
  return { kind: 'opened', session: { api, jwt, personId: me.said.personId }, expiresAt: null };
}

const v4Site = z.object({ site_view: z.unknown() });

/** 1.0 speaks v4; whatever else answers definitely is taken for 0.19. A lost answer decides nothing. */
async function detectApi(asker: Asker): Promise<LemmyApi | NotComposed> {
  const result = await request(asker, { method: 'GET', path: '/api/v4/site', body: null });
  if (result.phase !== 'answered') return outcomeBeforePost(result);
  const { status } = result;
  if (status === 429 || status >= 500 || (status >= 300 && status < 400)) {
    const detail = describeAnswer(result);
    const failed = {
      kind: 'failed',
      code: 'server_error',
      detail,
      isFinal: false,
      blames: 'channel',
    } as const;
    return refusalIn(result, detail, asker.at) ?? failed;
  }
  return status === 200 && v4Site.safeParse(parseJson(result.body)).success ? 'v4' : 'v3';
}

const twoFactor = ['missing_totp_token', 'incorrect_totp_token', 'missing_totp_secret'];
const lockedOut = ['site_ban', 'deleted', 'registration_denied'];
// 1.0 says so of a name that it does not know.
const noSuchAccount = ['not_found', 'couldnt_find_local_user'];

/** What a refused log-in means: here every word is about the account. */
function atLogIn(why: NotComposed, code: string | null): NotComposed {
  const { detail } = why;
  const blocked = { kind: 'blocked', scope: 'account', isGone: true } as const;
  if (why.kind === 'blocked' && why.code === 'unauthorized') return { ...why, isGone: true };
  if (code === null) return why;
  if (noSuchAccount.includes(code)) return { ...blocked, code: 'unauthorized', detail };
  if (lockedOut.includes(code)) return { ...blocked, code: 'forbidden', detail };
  if (!twoFactor.includes(code)) return why;
  const advice = `${detail} (its two-factor log-in is switched on: Headway needs an account without it)`;
  return { ...blocked, code: 'unauthorized', detail: advice };
}
