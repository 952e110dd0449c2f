import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { z } from 'zod';
import { findLinks } from '../../text/findLinks.ts';
import { sameLink } from '../../text/sameLink.ts';
import { remoteId } from './remoteId.ts';

/** A status as an account's list shows it. */
export const ownStatus = z.object({
  id: remoteId,
  created_at: z.iso.datetime({ offset: true }).transform(text => new Date(text)),
  /** As HTML. */
  content: z.string().nullish(),
  spoiler_text: z.string().nullish(),
  url: z.string().nullish(),
  uri: z.string().nullish(),
  in_reply_to_id: remoteId.nullish(),
  reblog: z.unknown().optional(),
  /** What the server found behind its link. */
  card: z.object({ url: z.string().nullish() }).nullish(),
});

export type OwnStatus = z.infer<typeof ownStatus>;

/** What a status is recognised by: its link or, without one, its text. */
export type Recognised = { url: string | null; text: string };

/** Whether a status is the post: not a reply or a boost, with the same link; without a link, with the same text. */
export function isStatusOf(status: OwnStatus, { url, text }: Recognised): boolean {
  if (status.reblog || status.in_reply_to_id) return false;
  const content = status.content ?? '';
  if (url !== null) return linksOf(status, content, url).some(link => sameLink(link, url));
  const shown = comparable(plain(content));
  // snac takes what looks like a tag for one.
  return [text, plain(text)].some(each => comparable(each) === shown);
}

const anchor = /<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;

function linksOf({ card }: OwnStatus, content: string, sought: string): string[] {
  const anchors = Array.from(content.matchAll(anchor), ([, double, single]) =>
    decodeHTMLAttribute(double ?? single ?? ''),
  );
  // An address that the server does not take for one, or not to its last mark, stands in the text alone.
  const written = findLinks(plain(content), [sought]).map(({ url }) => url);
  return [...anchors, ...written, ...(card?.url ? [card.url] : [])];
}

// Mastodon hides the middle of a long address between tags: nothing may be put where one was. Not every `<` is
// one: snac leaves a lone `<` as it is.
function plain(html: string): string {
  return decodeHTML(html.replace(/<(?:br|\/p|\/div|\/li)\b[^>]*>/gi, '\n').replace(/<\/?[a-z][^>]*>/gi, ''));
}

/**
 * A text without what servers change in it: hosts of mentions, blanks, and what snac and Pleroma read as Markdown
 * or as an emoji. A text of nothing else is compared as it is.
 */
function comparable(text: string): string {
  const words = text
    .replace(/(@[\w.-]+)@[\w.:-]+/g, '$1')
    .replace(/\]\([^)\s]*\)/g, '')
    .replace(/:[\w+-]+:|<3/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return (words === '' ? text.replace(/\s+/g, '') : words).toLowerCase();
}
