import type { Enrichable } from '../models/enrichmentClaims.ts';
import type { PageMetadata } from './readPage.ts';

type Picture = Pick<Enrichable, 'imageUrl' | 'imageAlt' | 'imageWidth' | 'imageHeight'>;

/**
 * An article with what its page says where its feed says nothing: the feed's word is never replaced. Null: the
 * page says nothing that is missing.
 */
export function fillGaps(article: Enrichable, page: PageMetadata): Enrichable | null {
  const filled = {
    summary: article.summary ?? page.description,
    author: article.author ?? page.author,
    language: article.language ?? page.language,
    siteName: article.siteName ?? page.siteName,
    pageUrl: article.pageUrl ?? page.pageUrl,
    ...fillPicture(article, page.image),
  };
  return isSame(filled, article) ? null : filled;
}

// What a picture shows and how large it is goes with that picture, and with no other.
function fillPicture(article: Picture, image: PageMetadata['image']): Picture {
  const { imageUrl, imageAlt, imageWidth, imageHeight } = article;
  const own = { imageUrl, imageAlt, imageWidth, imageHeight };
  if (image === null) return own;
  const { url, alt, width, height } = image;
  if (imageUrl === null) return { imageUrl: url, imageAlt: alt, imageWidth: width, imageHeight: height };
  if (imageUrl !== url) return own;
  return {
    imageUrl,
    imageAlt: imageAlt ?? alt,
    imageWidth: imageWidth ?? width,
    imageHeight: imageHeight ?? height,
  };
}

function isSame(one: Enrichable, other: Enrichable): boolean {
  const fields: readonly (keyof Enrichable)[] = [
    'summary',
    'author',
    'language',
    'siteName',
    'pageUrl',
    'imageUrl',
    'imageAlt',
    'imageWidth',
    'imageHeight',
  ];
  return fields.every(field => one[field] === other[field]);
}
