import { escapeHtml } from '../../text/escapeHtml.ts';
import { fitWithLink } from '../../text/fitWithLink.ts';
import type { ComposeAnswer, ComposeContext, NotComposed, Post } from '../Channel.ts';

export type TelegramMessage = {
  /** As HTML. */
  text: string;
  /** Left out: Telegram previews the first link of the text. */
  linkPreview?: LinkPreview;
};

type LinkPreview =
  | { is_disabled: true }
  | { url: string; prefer_large_media?: boolean; show_above_text?: boolean };

/** After the entities are parsed, so of the text as it is read; counted in UTF-16 here, the strictest reading. */
export const maxChars = 4_096;

const maxPictureBytes = 5 * 1024 * 1024;

type TextAnswer = { kind: 'composed'; text: string; shown: string; notes: readonly string[] } | NotComposed;

/** Text and link, as HTML and as they are read. */
export function messageOf(post: Post): TextAnswer {
  const { url } = post;
  const measure = (text: string) => text.length;
  const fitted = fitWithLink({ text: post.text.trim(), url, max: maxChars, measure, separator: '\n' });
  if (fitted === null)
    return failed('too_long', `the link alone is longer than ${maxChars} characters`, true);
  if (fitted.text === '') return failed('invalid_post', 'there is neither text nor link', true);
  const notes = fitted.isCut ? [`the text was cut to ${maxChars} characters`] : [];
  return { kind: 'composed', text: escapeHtml(fitted.text), shown: fitted.text, notes };
}

/** The card of the article's own link, whatever other links the text begins with; not `preview`: none. */
export function cardPreview({ url }: Post, preview: boolean): { linkPreview?: LinkPreview } {
  if (!preview) return { linkPreview: { is_disabled: true } };
  return url !== null && isHttp(url) ? { linkPreview: { url } } : {};
}

type WithPicture = {
  post: Post;
  /** Without it the article fails. */
  isRequired: boolean;
  notes: readonly string[];
  fetchImage: ComposeContext['fetchImage'];
};

/**
 * The picture instead of the card, large and above the text. It is the preview of the picture's own address and
 * no `sendPhoto`: there, a picture that Telegram cannot fetch or does not like refuses the post itself, after
 * the gate, and the text may have only 1,024 characters. Here the worst is a post without a picture.
 */
export async function withPicture(
  message: TelegramMessage,
  { post, isRequired, notes, fetchImage }: WithPicture,
): Promise<ComposeAnswer<TelegramMessage> | NotComposed> {
  const missing = await whyNot(post.imageUrl, fetchImage);
  if (missing === null && post.imageUrl !== null) {
    const linkPreview = { url: post.imageUrl, prefer_large_media: true, show_above_text: true };
    return { kind: 'composed', composed: { ...message, linkPreview }, notes };
  }
  const detail = `the picture cannot be had: ${missing}`;
  if (isRequired) return failed('image_unavailable', detail, false);
  return { kind: 'composed', composed: message, notes: post.imageUrl === null ? notes : [...notes, detail] };
}

async function whyNot(url: string | null, fetchImage: ComposeContext['fetchImage']): Promise<string | null> {
  if (url === null) return 'the article has none';
  if (!isHttp(url)) return 'its address is not http or https';
  const answer = await fetchImage(url, { maxBytes: maxPictureBytes });
  return answer.kind === 'image' ? null : answer.detail;
}

function failed(
  code: 'too_long' | 'invalid_post' | 'image_unavailable',
  detail: string,
  isFinal: boolean,
): NotComposed {
  return { kind: 'failed', code, detail, isFinal, blames: 'article' };
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
