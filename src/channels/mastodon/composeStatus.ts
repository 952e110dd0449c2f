import { createHash } from 'node:crypto';
import type { ComposeAnswer, ComposeContext, NotComposed, Post } from '../Channel.ts';
import type { MastodonAccount } from './account.ts';
import { attachPicture } from './attachPicture.ts';
import type { MastodonSettings } from './settings.ts';
import { statusText } from './statusText.ts';

/** What `POST /api/v1/statuses` gets. */
export type StatusPayload = {
  status: string;
  visibility: string;
  sensitive: boolean;
  spoiler_text?: string;
  language?: string;
  media_ids?: readonly string[];
};

export type ComposedStatus = { payload: StatusPayload; idempotencyKey: string };

/** Makes a status of a post: its text cut to the instance's limits, its picture uploaded. */
export async function composeStatus(
  post: Post,
  settings: MastodonSettings,
  context: ComposeContext<MastodonAccount>,
): Promise<ComposeAnswer<ComposedStatus> | NotComposed> {
  const { visibility, contentWarning, sensitive } = settings;
  const { limits } = context.account.session;
  const fitted = statusText(post, contentWarning, limits);
  if (fitted === null) return tooLong(limits.maxCharacters);
  if (fitted.text.trim() === '') return empty();
  const picture = await attachPicture(post, settings, context);
  if (picture.kind === 'refused') return picture.refusal;

  const language = languageOf(post.language) ?? languageOf(settings.language ?? null);
  const payload: StatusPayload = {
    status: fitted.text,
    visibility,
    sensitive,
    ...(contentWarning !== undefined && { spoiler_text: contentWarning }),
    ...(language !== null && { language }),
    ...(picture.kind === 'attached' && { media_ids: [picture.mediaId] }),
  };
  const notes = [
    ...(fitted.isCut ? ['the text was cut'] : []),
    ...(picture.kind === 'left_out' ? [`without its picture: ${picture.detail}`] : []),
  ];
  return {
    kind: 'composed',
    composed: { payload, idempotencyKey: idempotencyKey(post, payload, context) },
    notes,
  };
}

/**
 * One key for all attempts of a publication until a definite refusal, as long as its words are the same: a request
 * that is late, or made twice on the way, then meets it. It is never relied on, since most of the family ignore it
 * and Mastodon writes it only after the post and keeps it for an hour: what is unknown is looked for first.
 *
 * Pleroma and Akkoma keep whatever was answered under a key, for hours, a 500 too: a retry under the same key would
 * get that again. There each attempt has its own, told by the instant at which it was composed. An attempt whose
 * answer was lost is followed by another only when a complete look-up has shown that it left nothing, and not before
 * `send_by`, the time for the answer and a minute are over. What was composed is never composed again: it keeps its
 * key. Of the picture, the key has nothing: an upload gives it a new id each time.
 */
function idempotencyKey(
  { postKey, refusals }: Post,
  { status, spoiler_text = '', visibility }: StatusPayload,
  { account, composedAt }: ComposeContext<MastodonAccount>,
): string {
  const { credentials, session } = account;
  const epoch = session.limits.flavour === 'pleroma' ? composedAt.toISOString() : refusals;
  const parts = [credentials.instance, session.accountId, postKey, status, spoiler_text, visibility, epoch];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}

// ISO 639: Mastodon knows few regions, and GoToSocial refuses what is no tag.
function languageOf(tag: string | null): string | null {
  return /^([a-z]{2,3})(?:[-_]|$)/i.exec(tag?.trim() ?? '')?.[1]?.toLowerCase() ?? null;
}

// Not for ever: an instance may change its limits, and they are asked for again every day.
function tooLong(limit: number): NotComposed {
  const detail = `the link, with the content warning if there is one, is longer than the instance's ${limit} characters`;
  return { kind: 'failed', code: 'too_long', detail, isFinal: false, blames: 'article' };
}

function empty(): NotComposed {
  const detail = 'the post has neither text nor a link';
  return { kind: 'failed', code: 'invalid_post', detail, isFinal: true, blames: 'article' };
}
