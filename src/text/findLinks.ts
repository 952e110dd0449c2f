import { withoutSentence } from './withoutSentence.ts';

/** A link in a text: `text.slice(start, end)` is `url`, in UTF-16 units. */
export type Link = { url: string; start: number; end: number };

// An address glued to a word, or to what makes a mention or a hashtag, is a part of that.
const candidate = /(?<![A-Za-z0-9@＠$#＃])https?:\/\/[^\s<>"“”„«»「」『』…]+/gi;
const glue = /[A-Za-z0-9@＠$#＃]$/;
const between = /[\s<>"“”„«»「」『』…]/;
/** What can follow an address, up to the next blank, without being a part of it. */
const endOfSentence = /^[.,;:!?'’‘"“”„«»「」『』…*~|()[\]{}<>]*$/;

/**
 * The http and https addresses in a running text, from left to right. Marks that end a sentence or close a
 * bracket which stands before the address are not part of it; a bracket that opens in it and closes in it is.
 * `known`: addresses that are links exactly as they are, though they end in a full stop or hold a bracket.
 */
export function findLinks(text: string, known: readonly string[] = []): Link[] {
  const found: Link[] = [];
  const longestFirst = known.toSorted((a, b) => b.length - a.length);
  for (const link of [...longestFirst.flatMap(url => occurrences(text, url)), ...candidates(text)]) {
    if (!found.some(other => overlap(other, link))) found.push(link);
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Where exactly this address stands as a link of its own, first from the left; null: nowhere. */
export function findLink(text: string, url: string): Link | null {
  return occurrences(text, url)[0] ?? null;
}

function occurrences(text: string, url: string): Link[] {
  const found: Link[] = [];
  if (url === '') return found;
  for (let start = text.indexOf(url); start !== -1; start = text.indexOf(url, start + 1)) {
    const end = start + url.length;
    const before = text.slice(0, start).split(between).at(-1) ?? '';
    const behind = text.slice(end).split(/\s/, 1)[0] ?? '';
    // Otherwise it is the end of another address, or the beginning of a longer one.
    const isAlone = !before.includes('://') && !glue.test(before) && endOfSentence.test(behind);
    if (isAlone) found.push({ url, start, end });
  }
  return found;
}

function candidates(text: string): Link[] {
  return Array.from(text.matchAll(candidate), ({ 0: run, index: start }) => {
    const url = withoutSentence(run);
    return { url, start, end: start + url.length };
  }).filter(({ url }) => URL.canParse(url));
}

function overlap(a: Link, b: Link): boolean {
  return a.start < b.end && b.start < a.end;
}
