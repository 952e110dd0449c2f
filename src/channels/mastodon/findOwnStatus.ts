import { z } from 'zod';
import { describeAnswer } from '../answerOutcome.ts';
import type { LookUpAnswer } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { behindMs } from '../remoteClock.ts';
import type { RequestResult } from '../sendRequest.ts';
import type { MastodonSession } from './account.ts';
import { type Api, ask } from './api.ts';
import { isStatusOf, type OwnStatus, ownStatus, type Recognised } from './matchStatus.ts';
import { readOwner } from './readOwner.ts';
import { refusalOf } from './refusals.ts';

export type Search = {
  session: MastodonSession;
  sought: Recognised;
  visibility: string;
  /** By our clock: what was created earlier does not count, and ends the search. */
  since: Date;
};

const pageSize = 40;
const maxPages = 40;
/** A list of 40 statuses that are as long as some instances allow. */
const maxListBytes = 16 * 1024 * 1024;
/** A server that turns no pages shows at least so many, if it has them; snac 256, of which it leaves some out. */
const shortestFirstPage = 20;
const shortestSnacPage = 200;

/**
 * Searches what the account has posted since an instant, newest first. The credentials are proven first: with a
 * token that it does not know, a server answers as it does to anyone, without followers-only posts.
 */
export async function findOwnStatus(api: Api, search: Search): Promise<LookUpAnswer> {
  const { session, sought } = search;
  const owner = await proveOwner(api, session);
  if (owner.kind !== 'proven') return owner;
  const since = new Date(search.since.getTime() - owner.behindMs);

  const seen = new Set<string>();
  let maxId: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await ask(api, pathOf(session, maxId), { maxAnswerBytes: maxListBytes });
    const statuses = readStatuses(answer);
    if (statuses === null || answer.phase !== 'answered') return incomplete(answer, api.now);

    const found = statuses.find(status => status.created_at >= since && isStatusOf(status, sought));
    if (found) return { kind: 'found', remoteId: found.id, remoteUrl: found.url ?? found.uri ?? null };
    const last = statuses.at(-1);
    // The last one, and not the oldest: some servers show pinned ones first.
    if (last === undefined || last.created_at < since) return notFound(search);
    if (statuses.every(({ id }) => seen.has(id))) return withoutPages(statuses.length, search);
    for (const { id } of statuses) seen.add(id);
    maxId = nextMaxId(answer.headers.link) ?? last.id;
  }
  const shown = `more than ${maxPages * pageSize} posts since ${since.toISOString()}`;
  return { kind: 'incomplete', detail: `the account has ${shown}: shorten duplicates` };
}

async function proveOwner(
  api: Api,
  { accountId }: MastodonSession,
): Promise<LookUpAnswer | { kind: 'proven'; behindMs: number }> {
  const answer = await ask(api, '/api/v1/accounts/verify_credentials');
  const owner = answer.phase === 'answered' ? readOwner(answer) : null;
  if (owner === null || answer.phase !== 'answered') return incomplete(answer, api.now, 'unauthorized');
  if (owner.id === accountId) return { kind: 'proven', behindMs: behindMs(answer, api.now) };
  const detail = `the token is of another account than before: @${owner.acct}`;
  const refusal = { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false } as const;
  return { kind: 'incomplete', detail, refusal };
}

function pathOf({ accountId }: MastodonSession, maxId: string | null): string {
  const query = new URLSearchParams({ limit: String(pageSize), exclude_reblogs: 'true' });
  if (maxId !== null) query.set('max_id', maxId);
  return `/api/v1/accounts/${encodeURIComponent(accountId)}/statuses?${query}`;
}

function readStatuses(answer: RequestResult): OwnStatus[] | null {
  if (answer.phase !== 'answered' || answer.status !== 200) return null;
  return z.array(ownStatus).safeParse(parseJson(answer.body)).data ?? null;
}

// Only the id of it: behind a proxy the address may be one that we cannot reach.
function nextMaxId(link: string | undefined): string | null {
  const next = /<([^>]*)>\s*;[^,]*rel="?next"?/i.exec(link ?? '')?.[1] ?? '';
  return URL.canParse(next) ? new URL(next).searchParams.get('max_id') : null;
}

function notFound({ session, visibility }: Search): LookUpAnswer {
  const { flavour } = session.limits;
  if (flavour !== 'snac' || visibility !== 'private') return { kind: 'not_found' };
  return { kind: 'incomplete', detail: 'snac lists no followers-only posts: set duplicates to off' };
}

function withoutPages(shown: number, search: Search): LookUpAnswer {
  const { flavour } = search.session.limits;
  if (shown < (flavour === 'snac' ? shortestSnacPage : shortestFirstPage)) return notFound(search);
  return { kind: 'incomplete', detail: `the instance shows only the latest ${shown} posts` };
}

function incomplete(answer: RequestResult, now: Date, unread?: 'unauthorized'): LookUpAnswer {
  if (answer.phase !== 'answered') return { kind: 'incomplete', detail: answer.detail };
  const detail = describeAnswer(answer);
  // snac, of a token that it does not know: 422 without a word.
  const isRefused = unread === 'unauthorized' && answer.status === 422;
  const refusal = isRefused
    ? ({ kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false } as const)
    : refusalOf(answer, now);
  return { kind: 'incomplete', detail, ...(refusal && { refusal }) };
}
