import type { CutText } from '../../text/cutText.ts';
import { fitWithLink } from '../../text/fitWithLink.ts';
import { graphemes } from '../../text/graphemes.ts';
import { mastodonLength } from '../../text/mastodonLength.ts';
import type { Post } from '../Channel.ts';
import type { InstanceLimits } from './instance.ts';

/**
 * The text of a status: the post's, with its link behind it unless it stands there, cut so that it fits with
 * the content warning. Null: not even the link fits.
 */
export function statusText(
  { text, url }: Pick<Post, 'text' | 'url'>,
  contentWarning: string | undefined,
  limits: InstanceLimits,
): CutText | null {
  const max = limits.maxCharacters;
  const measure = (part: string) => statusLength(part, contentWarning, limits);
  return fitWithLink({ text, url, max, measure, separator: '\n\n' });
}

/** What a status counts, its content warning included. */
export function statusLength(
  text: string,
  contentWarning: string | undefined,
  limits: InstanceLimits,
): number {
  const warning = contentWarning ?? '';
  const mastodons = mastodonLength(text, limits) + graphemes(warning);
  if (limits.flavour === 'mastodon') return mastodons;
  // The others count links and the hosts of mentions in full, some of them code points.
  return Math.max(mastodons, codePoints(text) + codePoints(warning));
}

function codePoints(text: string): number {
  return Array.from(text).length;
}
