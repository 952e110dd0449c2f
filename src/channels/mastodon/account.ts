import { z } from 'zod';
import type { AccountKind } from '../AccountKind.ts';
import { type Answer, describeAnswer, outcomeBeforePost } from '../answerOutcome.ts';
import type { AccountAccess, NotComposed } from '../Channel.ts';
import { instanceUrl, secretText } from '../settingsParts.ts';
import { type Api, ask } from './api.ts';
import { type InstanceLimits, instanceLimits, readInstance } from './instance.ts';
import { readOwner } from './readOwner.ts';
import { refusalBeforePost } from './refusals.ts';

export type MastodonCredentials = {
  instance: string;
  /** Without `@` and host. */
  username: string;
  token: string;
};

/** What is asked once a day and not for each post. */
export type MastodonSession = {
  accountId: string;
  acct: string;
  limits: InstanceLimits;
  /** ISO 8601, UTC. */
  openedAt: string;
};

export type MastodonAccount = AccountAccess<MastodonCredentials, MastodonSession>;

const sessionLastsMs = 86_400_000;

const credentials = z.strictObject({
  instance: instanceUrl,
  username: z
    .string('must be the name of an account, such as bot or @bot@social.example')
    .regex(/^@?[\w.-]+(@[\w.:-]+)?$/, 'must be the name of an account, such as bot or @bot@social.example')
    .transform(name => nameOf(name)),
  token: secretText,
});

const session = z.object({
  accountId: z.string(),
  acct: z.string(),
  limits: instanceLimits,
  openedAt: z.string(),
});

/**
 * An account of the Mastodon family: an access token, which has no end of its own. A session is only what was
 * asked about the account and its instance, anew every day, since an instance may change its limits.
 */
export const mastodonAccount: AccountKind<MastodonCredentials, MastodonSession> = {
  credentials,
  secretKeys: ['token'],
  session,

  async openSession({ instance, username, token }, _previous, { openedAt, send }) {
    const api: Api = { instance, token, send, now: openedAt };
    const answer = await ask(api, '/api/v1/accounts/verify_credentials');
    if (answer.phase !== 'answered') return outcomeBeforePost(answer);
    const owner = readOwner(answer);
    if (owner === null) return refusedForGood(answer, openedAt);
    if (nameOf(owner.username).toLowerCase() !== username.toLowerCase())
      return gone(`the token is of @${owner.acct}, not of @${username}: set username, or make a token there`);

    const read = await readInstance(api);
    if (read.kind !== 'read') return read;
    return {
      kind: 'opened',
      session: {
        accountId: owner.id,
        acct: owner.acct,
        limits: read.limits,
        openedAt: openedAt.toISOString(),
      },
      expiresAt: new Date(openedAt.getTime() + sessionLastsMs),
    };
  },
};

function nameOf(username: string): string {
  return username.replace(/^@/, '').replace(/@.*$/, '');
}

// There is nothing to refresh a token with: refused here, it stays refused.
function refusedForGood(answer: Answer, now: Date): NotComposed {
  const refusal = refusalBeforePost(answer, now);
  const isRefused = refusal.kind === 'blocked' && refusal.code === 'unauthorized';
  return isRefused || answer.status === 422 ? gone(describeAnswer(answer)) : refusal;
}

function gone(detail: string): NotComposed {
  return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: true };
}
