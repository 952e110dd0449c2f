import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Answer, describeAnswer, outcomeWithoutAnswer } from './answerOutcome.ts';
import type { Channel, Post } from './Channel.ts';
import type { PublishOutcome } from './PublishOutcome.ts';

export type WebhookSettings = {
  url: string;
  /** Several during a rotation: each signs, the newest first. None: unsigned. */
  secret?: string | string[] | undefined;
};

const secretPrefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

// Empty is an error and not "unsigned": it is what a forgotten variable of the environment leaves.
const secretText = z
  .string()
  .min(1, 'must not be empty; leave it out to send unsigned')
  .refine(isReadableSecret, `must be base64 after ${secretPrefix}`);

const settings = z.strictObject({
  url: z
    .string()
    .refine(isPlainHttpUrl, 'must be an http or https URL without a user name or password in it'),
  secret: z.union([secretText, z.array(secretText).min(1)]).optional(),
});

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

function isReadableSecret(secret: string): boolean {
  if (!secret.startsWith(secretPrefix)) return true;
  const encoded = secret.slice(secretPrefix.length);
  return encoded !== '' && base64.test(encoded);
}

/**
 * Standard Webhooks (https://www.standardwebhooks.com). The receiver drops a webhook-id that it knows, so a
 * lost answer is mended by sending the same again; that is also why a 5xx counts as a plain failure here.
 */
export const webhook: Channel<WebhookSettings> = {
  platform: 'webhook',
  needsAccount: false,
  reconciliation: 'repeat',
  settings,
  secretKeys: ['secret'],

  destination({ url }) {
    const { origin, pathname, search } = new URL(url);
    return { instance: origin, target: `${pathname}${search}` };
  },

  async publish(post, { url, secret }, { sendingAt, send }) {
    const id = `msg_${post.postKey}`;
    const timestamp = Math.floor(sendingAt.getTime() / 1_000);
    const body = JSON.stringify(payload(post));
    const keys = secretsIn(secret).map(keyOf);

    const result = await send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        ...signatures(`${id}.${timestamp}.${body}`, keys),
      },
      body,
    });
    return result.phase === 'answered' ? outcomeOf(result, id) : outcomeWithoutAnswer(result);
  },
};

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

function secretsIn(secret: WebhookSettings['secret']): readonly string[] {
  if (secret === undefined) return [];
  return typeof secret === 'string' ? [secret] : secret;
}

function keyOf(secret: string): Buffer {
  if (!secret.startsWith(secretPrefix)) return Buffer.from(secret, 'utf8');
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}

function signatures(signed: string, keys: readonly Buffer[]): Record<string, string> {
  if (keys.length === 0) return {};
  const each = keys.map(key => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-signature': each.join(' ') };
}

/** Every complete answer is definite: what is not 2xx was not accepted. */
function outcomeOf(answer: Answer, id: string): PublishOutcome {
  const { status, retryAfter: until } = answer;
  const detail = describeAnswer(answer);
  const about = { scope: 'channel', detail } as const;
  const failed = { kind: 'failed', detail, isFinal: false } as const;

  if (status < 300) return { kind: 'succeeded', remoteId: id, remoteUrl: null };
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
      return { ...failed, code: status < 500 ? 'rejected' : 'server_error', blames: 'channel' };
  }
}
