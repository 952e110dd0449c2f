import { findLinks } from './findLinks.ts';

export type LinkMarkup = {
  /** Writes what stands between links; it may be empty. */
  words: (text: string) => string;
  /** Writes a link. */
  link: (url: string) => string;
};

/** A text in a platform's markup, in which links are written otherwise than words. `known`: as for `findLinks`. */
export function mapLinks(text: string, known: readonly string[], { words, link }: LinkMarkup): string {
  let written = '';
  let at = 0;
  for (const { url, start, end } of findLinks(text, known)) {
    written += words(text.slice(at, start)) + link(url);
    at = end;
  }
  return written + words(text.slice(at));
}
