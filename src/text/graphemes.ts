// Where a grapheme ends does not depend on the language: the locale is named so that no environment sets it.
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const isAscii = /^[\0-\x7f]*$/;

// Two ASCII characters are two graphemes, but for a line end: only what stands about others has to be asked
// for, as the segmenter takes some 10 µs for each.
const piece = /\r\n|[\0-\x7f](?![^\0-\x7f])|[\0-\x7f]?(?:[^\0-\x7f]+(?:(?![\r\n])[\0-\x7f])?)+/g;

/** How many characters a reader sees: a flag, a family or a letter with its accents is one. */
export function graphemes(text: string): number {
  if (isAscii.test(text)) return text.length - (text.match(/\r\n/g)?.length ?? 0);
  return splitGraphemes(text).length;
}

/** The graphemes of a text, in order: joined they are the text. */
export function splitGraphemes(text: string): string[] {
  const pieces: string[] = text.match(piece) ?? [];
  return pieces.flatMap(part => (part.length === 1 ? part : Array.from(segmenter.segment(part), ofSegment)));
}

function ofSegment({ segment }: Intl.SegmentData): string {
  return segment;
}
