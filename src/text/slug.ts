const maxTitleChars = 60;

// What has no accent to drop, and so is not taken apart by NFKD.
const foldings: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** A title as the part of an address: lower case, ASCII, at most 60 characters; `article` where nothing is left. */
export function slugOf(title: string): string {
  const folded = title
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, letter => foldings[letter] ?? '');
  const slug = folded
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxTitleChars)
    .replace(/-$/, '');
  return slug || 'article';
}

/**
 * The slug by which a publication finds itself again: readable, and by the beginning of its key no other's. It
 * is the same for every attempt.
 */
export function publicationSlug({ title, postKey }: { title: string; postKey: string }): string {
  return `${slugOf(title)}-${postKey.slice(0, 8)}`;
}
