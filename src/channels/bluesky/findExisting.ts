import { z } from 'zod';
import { sameLink } from '../../text/sameLink.ts';
import { type Answer, describeAnswer } from '../answerOutcome.ts';
import type { ExistingContext, LookUpAnswer, Post, Refusal } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { OutgoingRequest, SendRequest } from '../sendRequest.ts';
import { lookBackMs } from '../settingsParts.ts';
import { type BlueskyAccount, serviceOf } from './account.ts';
import { placeOf } from './place.ts';
import { composeRecord } from './record.ts';
import { recordKeyTime } from './recordKey.ts';
import { outcomeOfEarlierRequest } from './refusal.ts';
import type { BlueskySettings } from './settings.ts';
import { query } from './xrpc.ts';

const dayMs = 86_400_000;
/** Keys of ours are made when an article is routed, the post when its turn has come: so long it may have waited. */
const waitingMs = 7 * dayMs;
const pageLength = 100;
const mostPages = 50;
const maxPageBytes = 4 * 1_024 * 1_024;

const page = z.object({
  records: z.array(z.object({ uri: z.string(), value: z.unknown() })),
  cursor: z.string().optional(),
});

const external = z.object({ uri: z.string() });
const posted = z.object({
  text: z.string().catch(''),
  createdAt: z.coerce.date(),
  reply: z.unknown().optional(),
  embed: z
    .object({ external: external.optional(), media: z.object({ external: external.optional() }).optional() })
    .optional()
    .catch(undefined),
  facets: z
    .array(z.object({ features: z.array(z.object({ uri: z.string().optional() })) }))
    .optional()
    .catch(undefined),
});

type Page = z.infer<typeof page>;
type Posted = z.infer<typeof posted>;

/**
 * Searches the account's own posts, newest key first, for the link (without one: the text). The list is public and
 * the same for everybody: there is no filter that could hide a post, and no token that could be invalid. Replies
 * do not count: a link in a conversation is no post of it.
 */
export async function findExisting(
  post: Post,
  settings: BlueskySettings,
  { account, askedAt, notBefore, send }: ExistingContext<BlueskyAccount>,
): Promise<LookUpAnswer> {
  const windowMs = lookBackMs(settings.duplicates);
  if (windowMs === null) return { kind: 'not_found' };
  const since = notBefore ?? new Date(askedAt.getTime() - windowMs);
  const call = { service: serviceOf(account), nsid: 'com.atproto.repo.listRecords', token: null };
  const asked = { repo: account.session.did, collection: 'app.bsky.feed.post', limit: String(pageLength) };

  const { text } = composeRecord(post, settings, { createdAt: askedAt, picture: null }).record;
  const sought = { url: post.url, text, since };
  let cursor: string | undefined;
  for (let read = 0; read < mostPages; read += 1) {
    const answer = await readPage(send, query(call, cursor === undefined ? asked : { ...asked, cursor }));
    if ('kind' in answer) return answer;
    const found = answer.records.find(({ value }) => isIt(value, sought));
    if (found) return { kind: 'found', ...placeOf(account.session, found.uri.split('/').at(-1) ?? '') };
    ({ cursor } = answer);
    if (cursor === undefined || isBefore(cursor, since)) return { kind: 'not_found' };
  }
  const many = `more than ${mostPages * pageLength} posts since ${since.toISOString()}`;
  return { kind: 'incomplete', detail: `${many}: make duplicates shorter, or off` };
}

async function readPage(send: SendRequest, request: OutgoingRequest): Promise<Page | LookUpAnswer> {
  const result = await send({ ...request, maxAnswerBytes: maxPageBytes });
  if (result.phase !== 'answered') return { kind: 'incomplete', detail: result.detail };
  const said = result.status === 200 ? page.safeParse(parseJson(result.body)) : null;
  if (said?.success) return said.data;
  const detail = describeAnswer(result);
  if (isWithoutRepo(result)) return { kind: 'incomplete', detail, refusal: withoutRepo(detail) };
  const outcome = outcomeOfEarlierRequest(result);
  const isRefusal = outcome.kind === 'throttled' || outcome.kind === 'blocked';
  return { kind: 'incomplete', detail, ...(isRefusal && { refusal: outcome }) };
}

// What a PDS says to anybody of an account that is deactivated, taken down or gone. A new session tells which.
function isWithoutRepo(answer: Answer): boolean {
  return answer.status === 400 && /could not find repo/i.test(answer.body);
}

function withoutRepo(detail: string): Refusal {
  return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false };
}

/** Whether what comes behind this key was posted before `since`. */
function isBefore(key: string, since: Date): boolean {
  const madeAt = recordKeyTime(key);
  return madeAt !== null && madeAt.getTime() < since.getTime() - waitingMs;
}

type SoughtPost = { url: string | null; text: string; since: Date };

function isIt(value: unknown, { url, text, since }: SoughtPost): boolean {
  const said = posted.safeParse(value);
  if (!said.success || said.data.reply !== undefined || said.data.createdAt < since) return false;
  if (url === null) return said.data.text === text;
  return linksOf(said.data).some(link => sameLink(link, url));
}

function linksOf({ embed, facets = [] }: Posted): string[] {
  const uris = [
    embed?.external?.uri,
    embed?.media?.external?.uri,
    ...facets.flatMap(({ features }) => features.map(({ uri }) => uri)),
  ];
  return uris.filter(uri => uri !== undefined);
}
