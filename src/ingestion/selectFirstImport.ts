import type { FirstImport } from '../models/feeds.ts';

type Imported = { publishedAt: Date; isDated: boolean };

/**
 * Which articles of a feed's first complete read that had any are queued; the others are its baseline, stored and
 * never sent. Expects them oldest first and answers in that order. What has no date counts as older than all that
 * has one, and lies in no span of time. `emptyAt`: when the feed was last read and found empty, null for never;
 * what is dated after that is new, whatever is chosen of the rest.
 */
export function selectFirstImport<Article extends Imported>(
  articles: readonly Article[],
  firstImport: FirstImport,
  { now, emptyAt }: { now: Date; emptyAt: Date | null },
): Article[] {
  const chosen = new Set(choose(articles, firstImport, now));
  const isNew = ({ isDated, publishedAt }: Article) =>
    emptyAt !== null && isDated && publishedAt.getTime() > emptyAt.getTime();
  return articles.filter(article => chosen.has(article) || isNew(article));
}

function choose<Article extends Imported>(
  articles: readonly Article[],
  firstImport: FirstImport,
  now: Date,
): readonly Article[] {
  switch (firstImport.mode) {
    case 'baseline':
      return [];
    case 'all':
      return articles;
    case 'last':
      return newest(articles, firstImport.count);
    case 'since': {
      const sinceMs = 'at' in firstImport ? Date.parse(firstImport.at) : now.getTime() - firstImport.sinceMs;
      return articles.filter(({ isDated, publishedAt }) => isDated && publishedAt.getTime() >= sinceMs);
    }
    default:
      return firstImport satisfies never;
  }
}

function newest<Article extends Imported>(articles: readonly Article[], count: number): readonly Article[] {
  const dated = articles.filter(article => article.isDated);
  const undated = articles.filter(article => !article.isDated);
  const chosen = new Set(count > 0 ? [...undated, ...dated].slice(-count) : []);
  return articles.filter(article => chosen.has(article));
}
