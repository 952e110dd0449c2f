import { type CutText, cutText, ellipsis } from './cutText.ts';
import { findLink } from './findLinks.ts';

export type FitOptions = {
  text: string;
  /** The link that the post is about; null: it has none. */
  url: string | null;
  max: number;
  /** As for `cutText`. */
  measure: (text: string) => number;
  /** Between the text and the link when it is put behind: a blank, or an empty line. */
  separator: string;
};

/**
 * A text with its link, put behind unless it stands there already (exactly, as a link of its own), in at most
 * `max`: the text is cut, the link never. Null: not even the link fits.
 */
export function fitWithLink({ text, url, max, measure, separator }: FitOptions): CutText | null {
  if (url === null) return cutText(text, { max, measure });
  if (measure(url) > max) return null;
  if (findLink(text, url) !== null) return cutText(text, { max, measure, protect: [url] });
  if (text.trim() === '') return { text: url, isCut: false };
  const withLink = (part: string) => part + separator + url;
  const cut = cutText(text, { max, measure: part => measure(withLink(part)) });
  const isNothing = cut.text === '' || cut.text === ellipsis;
  return { text: isNothing ? url : withLink(cut.text), isCut: cut.isCut };
}
