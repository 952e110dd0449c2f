import { z } from 'zod';
import { fitWithLink } from '../text/fitWithLink.ts';
import { mapLinks } from '../text/mapLinks.ts';
import {
  type Answer,
  describeAnswer,
  isRedirect,
  outcomeWithoutAnswer,
  tellsNothing,
} from './answerOutcome.ts';
import type { Channel, ComposeAnswer, NotComposed, Post } from './Channel.ts';
import type { PublishOutcome } from './PublishOutcome.ts';

export type SlackSettings = {
  /** All that a webhook needs, so a secret as a whole. */
  webhookUrl: string;
  /** Slack shows what links lead to. */
  preview: boolean;
  /** Slack's own markup (`*bold*`) in the text takes effect, that of article titles too. Off: it shows as it is. */
  markdown: boolean;
};

/** The body of the request. */
export type SlackMessage = { text: string; mrkdwn: boolean; unfurl_links: boolean; unfurl_media: boolean };

type Hook = { instance: string; team: string; app: string; token: string; url: string };

const hookPath = /^\/services\/(\w{1,40})\/(\w{1,40})\/(\w{1,200})\/?$/;

// Slack cuts off what is longer, a link too.
const maxChars = 40_000;

const settings = z.strictObject({
  webhookUrl: z
    .string('must be text')
    .refine(
      url => readHook(url) !== null,
      'must be the URL of an incoming webhook, such as https://hooks.slack.com/services/TEAM/APP/TOKEN',
    ),
  preview: z.boolean('must be true or false').default(true),
  markdown: z.boolean('must be true or false').default(false),
});

/**
 * A Slack incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). It
 * knows no key by which it would drop a repeat, and can be asked nothing: a lost answer is left to a person,
 * and there is no check, since only a post shows whether it is still there.
 */
export const slack: Channel<SlackSettings, SlackMessage, null> = {
  platform: 'slack',
  needsAccount: false,
  account: null,
  settings,
  secretKeys: ['webhookUrl'],

  destination({ webhookUrl }) {
    const { instance, team, app } = hookOf(webhookUrl);
    return { instance, target: `${team}/${app}` };
  },

  reconciliation: () => ({ kind: 'blind' }),

  preview(post, settings) {
    const answer = messageOf(post, settings);
    const text = answer.kind === 'composed' ? answer.composed.text : '';
    const count = { length: text.length, limit: maxChars, unit: 'characters' };
    const notes = answer.kind === 'composed' ? answer.notes : [answer.detail];
    return { parts: [{ name: 'text', text, count }], notes };
  },

  compose: async (post, settings) => messageOf(post, settings),

  async publish({ postKey, composed }, { webhookUrl }, { send }) {
    const { url, token } = hookOf(webhookUrl);
    const headers = { 'content-type': 'application/json' };
    const result = await send({ method: 'POST', url, headers, body: JSON.stringify(composed) });
    if (result.phase !== 'answered') return outcomeWithoutAnswer(result);
    // A proxy's error page may repeat the path, and with it the token.
    return outcomeOf({ ...result, body: result.body.replaceAll(token, '(token)') }, postKey);
  },
};

function readHook(text: string): Hook | null {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, pathname, username, password, search, hash } = new URL(text);
  const [, team, app, token] = hookPath.exec(pathname) ?? [];
  if (team === undefined || app === undefined || token === undefined) return null;
  if (!/^https?:$/.test(protocol) || [username, password, search, hash].some(part => part !== ''))
    return null;
  return { instance: origin, team, app, token, url: origin + pathname };
}

function hookOf(webhookUrl: string): Hook {
  const hook = readHook(webhookUrl);
  if (hook === null) throw new Error('a webhookUrl that was never parsed');
  return hook;
}

function messageOf(post: Post, settings: SlackSettings): ComposeAnswer<SlackMessage> | NotComposed {
  const { url } = post;
  const write = (text: string) => writeText(text, url);
  const measure = (text: string) => write(text).length;
  const fitted = fitWithLink({ text: post.text.trim(), url, max: maxChars, measure, separator: '\n' });
  if (fitted === null) return invalid('too_long', `the link alone is longer than ${maxChars} characters`);
  if (fitted.text === '') return invalid('invalid_post', 'there is neither text nor link');
  const { markdown, preview } = settings;
  return {
    kind: 'composed',
    composed: {
      text: write(fitted.text),
      mrkdwn: markdown,
      unfurl_links: preview,
      unfurl_media: preview,
    },
    notes: fitted.isCut ? [`the text was cut to ${maxChars} characters`] : [],
  };
}

function invalid(code: 'too_long' | 'invalid_post', detail: string): NotComposed {
  return { kind: 'failed', code, detail, isFinal: true, blames: 'article' };
}

// Links are written as such, so that what is a link does not depend on Slack's eye for them. Only the three
// characters that mean something are escaped (https://docs.slack.dev/messaging/formatting-message-text).
function writeText(text: string, url: string | null): string {
  const link = (found: string) => `<${escapeControl(found).replaceAll('|', '%7C')}>`;
  return mapLinks(text, url === null ? [] : [url], { words: escapeControl, link });
}

function escapeControl(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const wrongText = new Set([
  'invalid_payload',
  'no_text',
  'missing_text_or_fallback_or_attachments',
  'too_many_attachments',
  'msg_too_long',
]);
const gone = new Set([
  'channel_not_found',
  'channel_is_archived',
  'no_active_hooks',
  'no_service',
  'no_service_id',
  'no_team',
  'team_disabled',
  'user_not_found',
  'invalid_token',
]);

/**
 * What a complete answer means: by its words where they are known, else by its status. A 5xx is not definite,
 * `rollup_error` ("something strange and unusual happened") least of all. `ok` comes without an id, so the
 * publication's own stands for it.
 */
function outcomeOf(answer: Answer, postKey: string): PublishOutcome {
  const { status, retryAfter: until } = answer;
  const detail = describeAnswer(answer);
  const words = answer.body.trim();
  const blocked = { kind: 'blocked', scope: 'channel', detail } as const;

  if (tellsNothing(status)) return { kind: 'unknown', code: 'server_error', detail };
  if (status === 200 && words === 'ok') return { kind: 'succeeded', remoteId: postKey, remoteUrl: null };
  if (isRedirect(status)) {
    const advice = `${detail} (redirects are not followed: set webhookUrl to where it leads)`;
    return { kind: 'failed', code: 'rejected', detail: advice, isFinal: false, blames: 'channel' };
  }
  if (status < 400) return { kind: 'unknown', code: 'unreadable_answer', detail };
  if (status === 429) return { kind: 'throttled', scope: 'channel', code: 'rate_limited', detail, until };
  if (wrongText.has(words) || status === 413)
    return { kind: 'failed', code: 'rejected', detail, isFinal: true, blames: 'article' };
  if (status === 401) return { ...blocked, code: 'unauthorized', isGone: gone.has(words) };
  if (status === 403) {
    if (gone.has(words)) return { ...blocked, code: 'unauthorized', isGone: true };
    return { ...blocked, code: 'forbidden', isGone: false };
  }
  if (status === 410) return { ...blocked, code: 'gone', isGone: true };
  if (status === 404 || gone.has(words)) return { ...blocked, code: 'not_found', isGone: gone.has(words) };
  return { kind: 'failed', code: 'rejected', detail, isFinal: false, blames: 'channel' };
}
