import { z } from 'zod';
import { type Answer, describeAnswer } from '../answerOutcome.ts';
import type { Finding, LookUpContext } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { type BlueskyAccount, claimsOf, serviceOf } from './account.ts';
import { limitEndsAt, query } from './xrpc.ts';

const sessionState = z.object({
  did: z.string(),
  handle: z.string(),
  active: z.boolean().optional(),
  status: z.string().optional(),
  emailConfirmed: z.boolean().optional(),
});

type SessionState = z.infer<typeof sessionState>;

/** Asks who is logged in, and with what rights. */
export async function checkAccount({
  account,
  send,
}: LookUpContext<BlueskyAccount>): Promise<readonly Finding[]> {
  const { accessJwt: token } = account.session;
  const call = { service: serviceOf(account), nsid: 'com.atproto.server.getSession', token };
  const result = await send(query(call));
  if (result.phase !== 'answered') return [finding('credentials', false, result.detail)];
  const said = result.status === 200 ? sessionState.safeParse(parseJson(result.body)) : null;
  if (!said?.success) return [finding('credentials', false, describeAnswer(result)), limitsLeft(result)];
  const { handle, did } = said.data;
  return [
    finding('credentials', true, `logged in as ${handle} (${did})`),
    ...nameFindings(account, said.data),
    scopeOf(token),
    stateOf(said.data),
    limitsLeft(result),
  ];
}

function finding(subject: Finding['subject'], isOk: boolean, detail: string): Finding {
  return { subject, isOk, detail };
}

function nameFindings(
  { credentials: { username } }: BlueskyAccount,
  { handle, did }: SessionState,
): readonly Finding[] {
  if (username === handle.toLowerCase() || username === did) return [];
  const detail = `username is ${username}, but the account is now called ${handle}: write that, or ${did}`;
  return [finding('settings', false, detail)];
}

const ownPassword =
  "appPassword is the account's own password, which may do everything: make an app password";

function scopeOf(token: string): Finding {
  const scope = claimsOf(token)?.scope ?? null;
  switch (scope) {
    case 'com.atproto.appPass':
      return finding('rights', true, 'by an app password');
    case 'com.atproto.appPassPrivileged':
      return finding('rights', true, 'by an app password that may also read messages');
    case 'com.atproto.access':
      return finding('rights', false, ownPassword);
    default:
      return finding('rights', false, `by a session of a kind not known: ${scope ?? 'unnamed'}`);
  }
}

function stateOf({ active = true, status, emailConfirmed }: SessionState): Finding {
  if (!active) return finding('visibility', false, `the account is ${status ?? 'not active'}`);
  const email = emailConfirmed === false ? '; its e-mail address is not confirmed' : '';
  return finding('visibility', true, `the account is active${email}`);
}

function limitsLeft(answer: Answer): Finding {
  const { 'ratelimit-remaining': left, 'ratelimit-limit': limit } = answer.headers;
  if (left === undefined || limit === undefined) {
    return finding('limits', true, 'the server tells no rate limits');
  }
  const endsAt = limitEndsAt(answer);
  const until = endsAt === null ? '' : ` until ${endsAt.toISOString()}`;
  return finding('limits', left !== '0', `${left} of ${limit} requests left${until}`);
}
