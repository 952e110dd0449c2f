export type FilteredArticle = { title: string; summary: string | null; tags: readonly string[] };
export type Filters = { include: readonly string[]; exclude: readonly string[] };

/**
 * Whether a route takes an article: one of `include` occurs in its title, summary or tags (an empty list lets
 * all pass) and none of `exclude` does. Case does not matter, words are not told from parts of words.
 */
export function matchesFilters(article: FilteredArticle, { include, exclude }: Filters): boolean {
  // The line breaks keep a phrase from matching across two of them.
  const text = comparable([article.title, article.summary ?? '', ...article.tags].join('\n'));
  const occurs = (phrase: string) => text.includes(comparable(phrase));
  const wanted = include.filter(isPhrase);
  return (wanted.length === 0 || wanted.some(occurs)) && !exclude.filter(isPhrase).some(occurs);
}

function isPhrase(text: string): boolean {
  return text.trim() !== '';
}

/** One form for letters with marks, whichever way they were typed. */
function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
