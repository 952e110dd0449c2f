import { resolveLink } from '../ingestion/resolveLink.ts';
import type { RawItem } from '../ingestion/toFeedItem.ts';
import { type Fields, firstText, isTrue, listed, textIn } from './frontFields.ts';
import { readFrontMatter } from './frontMatter.ts';
import { importDate } from './importDate.ts';
import { firstHeading, firstParagraph } from './markdownText.ts';

export type ReadMarkdown =
  | { kind: 'read'; raw: RawItem }
  | { kind: 'left_out'; what: string }
  | { kind: 'bad'; reason: string };

/**
 * A Markdown file as an article, by its front matter as Jekyll, Hugo, Eleventy and others write it. `path`: within
 * its folder. `site`: what relative links are relative to; null: such a link is refused.
 */
export function markdownArticle(path: string, text: string, site: string | null): ReadMarkdown {
  const front = readFrontMatter(text);
  if (front.kind === 'none') return { kind: 'left_out', what: 'files without front matter' };
  if (front.kind === 'bad') return front;
  const { fields, body } = front;
  if (isTrue(fields.get('draft')) || fields.get('published') === 'false')
    return { kind: 'left_out', what: 'drafts' };
  const link = firstText(fields, ['url', 'link', 'permalink', 'canonicalurl', 'canonical', 'externalurl']);
  const url = link === undefined ? null : resolveLink(link, [site ?? undefined]);
  if (link !== undefined && url === null) {
    const advice = site === null && link.startsWith('/') ? ': say of which site, with --site' : '';
    return {
      kind: 'bad',
      reason: `its link ${JSON.stringify(link.slice(0, 80))} is no http or https URL${advice}`,
    };
  }
  const own = firstText(fields, ['guid', 'id', 'uuid']);
  const image = imageOf(fields, site);
  const name = /(?:^|\/)(\d{4}-\d{1,2}-\d{1,2})-[^/]*$/.exec(path);
  const date = firstText(fields, [
    'date',
    'publishedat',
    'publishdate',
    'pubdate',
    'datepublished',
    'published',
    'created',
  ]);
  return {
    kind: 'read',
    raw: {
      // Without a link the file itself is what tells it from others, whatever becomes of its title.
      guid: own ?? (url === null ? `file:${path}` : undefined),
      url,
      title: { value: firstText(fields, ['title']) ?? firstHeading(body) ?? nameOf(path), type: 'text' },
      summaries: [
        { value: firstText(fields, ['summary', 'description', 'excerpt', 'abstract']), type: 'html' },
        { value: firstParagraph(body), type: 'html' },
      ],
      content: undefined,
      author: listed(fields, ['author', 'authors'])[0],
      tags: listed(fields, ['tags', 'tag', 'keywords', 'categories', 'category']),
      imageUrl: image.url,
      imageAlt: image.alt,
      language: firstText(fields, ['lang', 'language', 'locale']),
      dates: [date, name?.[1]].map(each => each && importDate(each)),
      source: undefined,
    },
  };
}

function imageOf(fields: Fields, site: string | null): { url: string | null; alt: string | undefined } {
  for (const key of [
    'image',
    'cover',
    'coverimage',
    'featuredimage',
    'heroimage',
    'thumbnail',
    'banner',
    'images',
  ]) {
    const value = fields.get(key);
    const first = Array.isArray(value) ? value[0] : value;
    const text =
      typeof first === 'string' ? first : textIn(first, ['url', 'src', 'path', 'image', 'feature']);
    const url = text === undefined ? null : resolveLink(text, [site ?? undefined]);
    if (url !== null)
      return { url, alt: textIn(first, ['alt', 'caption']) ?? firstText(fields, ['imagealt', 'alt']) };
  }
  return { url: null, alt: undefined };
}

/** `2026-09-07-a-quiet-week.md` is "a quiet week". */
function nameOf(path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const words = name.replace(/\.[^.]*$/, '').replace(/^\d{4}-\d{1,2}-\d{1,2}-/, '');
  // The folder of a page bundle bears its name.
  const isBundle = /^_?index$/i.test(words);
  return (isBundle ? (path.split('/').at(-2) ?? words) : words).replace(/[-_]+/g, ' ').trim();
}
