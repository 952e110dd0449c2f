import { z } from 'zod';
import type { AccountKind, SessionAnswer, SessionContext } from '../AccountKind.ts';
import { type Answer, describeAnswer } from '../answerOutcome.ts';
import type { AccountAccess, NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { RequestResult } from '../sendRequest.ts';
import { instanceUrl, secretText } from '../settingsParts.ts';
import { pdsOf } from './didDocument.ts';
import { outcomeOfEarlierRequest } from './refusal.ts';
import { errorName, procedure } from './xrpc.ts';

const handleOrDid =
  /^(did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]|([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?)$/;

const credentials = z.strictObject({
  instance: instanceUrl.default('https://bsky.social'),
  username: z
    .string('must be the handle of the account, such as news.bsky.social, or its DID')
    .transform(text => (text.startsWith('did:') ? text : text.replace(/^@/, '').toLowerCase()))
    .refine(
      text => handleOrDid.test(text),
      'must be a handle such as news.bsky.social, or a DID such as did:plc:…',
    ),
  appPassword: secretText,
});

const session = z.object({
  did: z.string(),
  handle: z.string(),
  accessJwt: z.string(),
  refreshJwt: z.string(),
  /** Where the account's data lies; null: on the instance itself. */
  pdsUrl: z.string().nullable(),
});

export type BlueskyCredentials = z.infer<typeof credentials>;
export type BlueskySession = z.infer<typeof session>;
export type BlueskyAccount = AccountAccess<BlueskyCredentials, BlueskySession>;

/** An account by its app password. A session lasts two hours and is refreshed, so one log-in serves for months. */
export const blueskyAccount: AccountKind<BlueskyCredentials, BlueskySession> = {
  credentials,
  secretKeys: ['appPassword'],
  session,

  // Log-ins are limited to 30 in five minutes and 300 a day; refreshes are not.
  async openSession(credentials, previous, context) {
    const refreshed = previous === null ? null : await refresh(credentials, previous, context);
    return refreshed ?? logIn(credentials, context);
  },
};

/** The server that the account's data lies on, which takes its posts. */
export function serviceOf({ credentials, session }: BlueskyAccount): string {
  return session.pdsUrl ?? credentials.instance;
}

type Opened = SessionAnswer<BlueskySession>;

/**
 * Null: refused, as after 90 days or when the app password was revoked; then it may still log in. A lost answer
 * costs nothing: the old refresh token works for a while beside the new one.
 */
async function refresh(
  { instance }: BlueskyCredentials,
  { refreshJwt }: BlueskySession,
  { send }: SessionContext,
): Promise<Opened | null> {
  const call = { service: instance, nsid: 'com.atproto.server.refreshSession', token: refreshJwt };
  const result = await send(procedure(call, null));
  const opened = readSession(result, instance);
  if (opened !== null) return opened;
  const outcome = outcomeOfEarlierRequest(result);
  return isRefused(result) && !isTakenDown(outcome) ? null : outcome;
}

async function logIn(
  { instance, username, appPassword }: BlueskyCredentials,
  { send }: SessionContext,
): Promise<Opened> {
  const call = { service: instance, nsid: 'com.atproto.server.createSession', token: null };
  const result = await send(procedure(call, { json: { identifier: username, password: appPassword } }));
  const opened = readSession(result, instance);
  if (opened !== null) return opened;
  const outcome = outcomeOfEarlierRequest(result);
  if (!isRefused(result) || isTakenDown(outcome)) return outcome;
  const detail = describeAnswer(result);
  return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: true };
}

/** By the PDS itself, not by what stands before it. */
function isRefused(result: RequestResult): result is Answer {
  if (result.phase !== 'answered') return false;
  return [400, 401, 403].includes(result.status) && errorName(result) !== null;
}

function isTakenDown(outcome: NotComposed): boolean {
  return outcome.kind === 'blocked' && outcome.code === 'forbidden' && outcome.isGone;
}

const sessionAnswer = session.omit({ pdsUrl: true }).extend({
  didDoc: z.unknown().optional(),
  active: z.boolean().catch(true),
  status: z.string().optional().catch(undefined),
});

function readSession(result: RequestResult, instance: string): Opened | null {
  if (result.phase !== 'answered' || result.status !== 200) return null;
  const said = sessionAnswer.safeParse(parseJson(result.body));
  if (!said.success) return null;
  const { didDoc, active, status, ...tokens } = said.data;
  if (!active) return inactive(status);
  const expiresAt = claimsOf(tokens.accessJwt)?.expiresAt ?? null;
  return { kind: 'opened', session: { ...tokens, pdsUrl: pdsOf(didDoc, { instance }) }, expiresAt };
}

// Its owner may log in, and nobody may post: a deactivated account comes back when its owner wishes.
function inactive(status: string | undefined): Opened {
  const detail = `the account is ${status ?? 'not active'}`;
  return { kind: 'blocked', scope: 'account', code: 'forbidden', detail, isGone: status === 'takendown' };
}

const claims = z
  .object({ exp: z.number(), scope: z.string().optional() })
  .transform(({ exp, scope }) => ({ expiresAt: new Date(exp * 1_000), scope: scope ?? null }));

/** What an access token says of itself, not verified; null: it is opaque. `scope`: what it was opened with. */
export function claimsOf(accessJwt: string): { expiresAt: Date; scope: string | null } | null {
  const payload = Buffer.from(accessJwt.split('.')[1] ?? '', 'base64url').toString('utf8');
  const said = claims.safeParse(parseJson(payload));
  return said.success ? said.data : null;
}
