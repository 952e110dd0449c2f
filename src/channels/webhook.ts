import { z } from 'zod';
import { type Answer, describeAnswer, outcomeWithoutAnswer, tellsNothing } from './answerOutcome.ts';
import type { Channel, LookUpAnswer, LookUpContext, Post } from './Channel.ts';
import { parseJson } from './json.ts';
import type { OutcomeCode, PublishOutcome } from './PublishOutcome.ts';
import { isReadableSecret, type SigningSecret, signedHeaders } from './signature.ts';

export type WebhookSettings = {
  url: string;
  secret?: SigningSecret;
  /** Where the receiver says whether it has a message: `{id}` in it stands for the `webhook-id`. */
  statusUrl?: string | undefined;
  /** The receiver does not drop an id that it knows: nothing may be sent to it twice. Default false. */
  ignoresIds?: boolean | undefined;
};

const idPlaceholder = '{id}';

// Empty is an error and not "unsigned": it is what a forgotten variable of the environment leaves.
const secretText = z
  .string()
  .min(1, 'must not be empty; leave it out to send unsigned')
  .refine(isReadableSecret, 'must be base64 after whsec_');

const httpUrl = z
  .string()
  .refine(isPlainHttpUrl, 'must be an http or https URL without a user name or password in it');

const settings = z.strictObject({
  url: httpUrl,
  secret: z.union([secretText, z.array(secretText).min(1)]).optional(),
  statusUrl: httpUrl.refine(text => text.includes(idPlaceholder), `must contain ${idPlaceholder}`).optional(),
  ignoresIds: z.boolean().optional(),
});

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/**
 * Standard Webhooks (https://www.standardwebhooks.com). The receiver drops a webhook-id that it knows, so a
 * lost answer is mended by sending the same again; that is also why a 5xx counts as a plain failure here.
 * One that does not is asked (`statusUrl`), or a person is (`ignoresIds`), and its 5xx tells nothing.
 */
export const webhook: Channel<WebhookSettings> = {
  platform: 'webhook',
  needsAccount: false,
  account: null,
  settings,
  secretKeys: ['secret'],

  destination({ url }) {
    const { origin, pathname, search } = new URL(url);
    return { instance: origin, target: `${pathname}${search}` };
  },

  reconciliation(settings) {
    const { statusUrl, ignoresIds = false } = settings;
    if (statusUrl === undefined) return { kind: ignoresIds ? 'blind' : 'repeat' };
    return {
      kind: 'look_up',
      lookUp: ({ post }, context) => askReceiver(post, { ...settings, statusUrl }, context),
    };
  },

  async findExisting(post, settings, context) {
    const { statusUrl } = settings;
    if (statusUrl === undefined) return { kind: 'not_found' };
    return askReceiver(post, { ...settings, statusUrl }, context);
  },

  preview(post) {
    const text = JSON.stringify(payload(post), null, 2);
    return { parts: [{ name: 'body', text, count: null }], notes: [] };
  },

  async publish(post, settings, { sendingAt, send }) {
    const { url, secret } = settings;
    const id = idOf(post);
    const body = JSON.stringify(payload(post));
    const signed = signedHeaders({ id, at: sendingAt, body }, secret);
    const headers = { 'content-type': 'application/json', ...signed };
    const result = await send({ method: 'POST', url, headers, body });
    if (result.phase !== 'answered') return outcomeWithoutAnswer(result);
    const dropsKnownIds = webhook.reconciliation(settings).kind === 'repeat';
    return outcomeOf(result, { id, dropsKnownIds });
  },
};

function idOf({ postKey }: Post): string {
  return `msg_${postKey}`;
}

// The order of the keys is part of the message: a repeat must have the same body, byte for byte.
function payload(post: Post) {
  return {
    type: 'article.published',
    timestamp: post.postCreatedAt,
    data: {
      id: post.postKey,
      title: post.title,
      text: post.text,
      url: post.url,
      summary: post.summary,
      author: post.author,
      tags: post.tags,
      imageUrl: post.imageUrl,
      feed: post.feed,
      publishedAt: post.articlePublishedAt,
    },
  };
}

const statusAnswer = z.object({ found: z.boolean(), url: z.string().nullish() });

// Only an answer in so many words is a proof: a 404 is as well what a misspelt statusUrl gets.
async function askReceiver(
  post: Post,
  { statusUrl, secret }: { statusUrl: string; secret?: SigningSecret },
  { askedAt, send }: LookUpContext,
): Promise<LookUpAnswer> {
  const id = idOf(post);
  const url = statusUrl.replaceAll(idPlaceholder, encodeURIComponent(id));
  const headers = { accept: 'application/json', ...signedHeaders({ id, at: askedAt, body: '' }, secret) };
  const result = await send({ method: 'GET', url, headers, body: null });
  if (result.phase !== 'answered') return { kind: 'incomplete', detail: result.detail };
  const said = result.status === 200 ? statusAnswer.safeParse(parseJson(result.body)) : null;
  if (!said?.success) return { kind: 'incomplete', detail: describeAnswer(result) };
  if (!said.data.found) return { kind: 'not_found' };
  return { kind: 'found', remoteId: id, remoteUrl: said.data.url ?? null };
}

/**
 * Every complete answer is definite, except of a receiver to which nothing may be sent twice: there a 5xx, a 408 and
 * the redirects that follow upon what was done (302, 303) tell nothing.
 */
function outcomeOf(
  answer: Answer,
  { id, dropsKnownIds }: { id: string; dropsKnownIds: boolean },
): PublishOutcome {
  const { status, retryAfter: until } = answer;
  const detail = describeAnswer(answer);
  const about = { scope: 'channel', detail } as const;
  const failed = { kind: 'failed', detail, isFinal: false } as const;

  if (status < 300) return { kind: 'succeeded', remoteId: id, remoteUrl: null };
  if (!dropsKnownIds && (tellsNothing(status) || status === 302 || status === 303)) {
    return { kind: 'unknown', code: unclear(status), detail };
  }
  if (status < 400) {
    const advice = `${detail} (redirects are not followed: set url to where it leads)`;
    return { ...failed, code: 'rejected', detail: advice, blames: 'channel' };
  }
  switch (status) {
    case 401:
      return { kind: 'blocked', ...about, code: 'unauthorized', isGone: false };
    case 403:
      return { kind: 'blocked', ...about, code: 'forbidden', isGone: false };
    case 404:
      return { kind: 'blocked', ...about, code: 'not_found', isGone: false };
    case 410:
      return { kind: 'blocked', ...about, code: 'gone', isGone: true };
    case 429:
      return { kind: 'throttled', ...about, code: 'rate_limited', until };
    // They are about what was sent, not about where: the next article may pass.
    case 400:
    case 413:
    case 422:
      return { ...failed, code: 'rejected', blames: 'article' };
    case 503:
      if (until !== null) return { kind: 'throttled', ...about, code: 'unavailable', until };
      return { ...failed, code: 'unavailable', blames: 'channel' };
    default:
      if (status < 500) return { ...failed, code: 'rejected', blames: 'channel' };
      return { ...failed, code: 'server_error', blames: 'channel' };
  }
}

function unclear(status: number): OutcomeCode {
  if (status < 400) return 'unreadable_answer';
  return status === 503 ? 'unavailable' : 'server_error';
}
