import { z } from 'zod';
import { describeAnswer } from '../answerOutcome.ts';
import type { Finding, LookUpContext } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { RequestResult } from '../sendRequest.ts';
import type { MastodonAccount } from './account.ts';
import { type Api, ask } from './api.ts';
import { readOwner } from './readOwner.ts';
import type { MastodonSettings } from './settings.ts';
import { statusLength } from './statusText.ts';

const application = z.object({ scopes: z.array(z.string()) });
const neededScopes = ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'];

/** Looks at the token, what it may do, and the instance's limits, without posting. */
export async function checkAccount(
  settings: MastodonSettings,
  { account, askedAt, send }: LookUpContext<MastodonAccount>,
): Promise<readonly Finding[]> {
  const api: Api = { ...account.credentials, send, now: askedAt };
  const credentials = await findCredentials(api);
  if (!credentials.isOk) return [credentials];
  const list = `/api/v1/accounts/${encodeURIComponent(account.session.accountId)}/statuses?limit=1`;
  return [
    credentials,
    await findReadable(api, list),
    ...(await findScopes(api)),
    findVisibility(settings, account),
    findLimits(settings, account),
  ];
}

async function findCredentials(api: Api): Promise<Finding> {
  const answer = await ask(api, '/api/v1/accounts/verify_credentials');
  const owner = answer.phase === 'answered' ? readOwner(answer) : null;
  const detail = owner === null ? describe(answer) : `the token is of @${owner.acct}`;
  return { subject: 'credentials', isOk: owner !== null, detail };
}

async function findReadable(api: Api, list: string): Promise<Finding> {
  const answer = await ask(api, list);
  const isOk = answer.phase === 'answered' && answer.status === 200;
  const detail = isOk
    ? 'it may read what the account has posted'
    : `it may not read what the account has posted (read:statuses), so a lost answer cannot be looked up: ${describe(answer)}`;
  return { subject: 'rights', isOk, detail };
}

// Mastodon tells an application's scopes since 4.3, others do not: then nothing is said. A token has no more.
async function findScopes(api: Api): Promise<readonly Finding[]> {
  const answer = await ask(api, '/api/v1/apps/verify_credentials');
  const isRead = answer.phase === 'answered' && answer.status === 200;
  const scopes = isRead ? application.safeParse(parseJson(answer.body)).data?.scopes : undefined;
  if (scopes === undefined) return [];
  const missing = neededScopes.filter(scope => !isGranted(scope, scopes));
  const detail =
    missing.length === 0
      ? `its application has the scopes ${scopes.join(' ')}`
      : `its application lacks the scopes ${missing.join(' ')}`;
  return [{ subject: 'rights', isOk: missing.length === 0, detail }];
}

function isGranted(scope: string, scopes: readonly string[]): boolean {
  return scopes.includes(scope) || scopes.includes(scope.split(':')[0] ?? '');
}

function findVisibility({ visibility, duplicates }: MastodonSettings, { session }: MastodonAccount): Finding {
  const isHidden = session.limits.flavour === 'snac' && visibility === 'private';
  const hidden = 'snac lists no followers-only posts: a lost answer cannot be looked up';
  const advice = duplicates === 'off' ? '' : ', and duplicates has to be off';
  const detail = isHidden ? `${hidden}${advice}` : `posts are ${visibility}`;
  return { subject: 'visibility', isOk: !isHidden, detail };
}

function findLimits({ contentWarning }: MastodonSettings, { session }: MastodonAccount): Finding {
  const { maxCharacters, charactersReservedPerUrl, maxImageBytes, version } = session.limits;
  const warningLength = statusLength('', contentWarning, session.limits);
  const isOk = warningLength + charactersReservedPerUrl <= maxCharacters;
  const found = `${maxCharacters} characters, a link counts ${charactersReservedPerUrl}, pictures up to ${Math.floor(maxImageBytes / 1024)} kB (${version || 'the instance does not say what it is'})`;
  const detail = isOk ? found : `the content warning leaves no room for a link: ${found}`;
  return { subject: 'limits', isOk, detail };
}

function describe(answer: RequestResult): string {
  return answer.phase === 'answered' ? describeAnswer(answer) : answer.detail;
}
