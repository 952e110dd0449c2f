import type { Post } from '../channels/Channel.ts';
import type { ClaimedRouteArticle } from '../models/claims.ts';

/** Composes what is to go out of what was approved. The link is the one that the feed gave, never cut. */
export function composePost(claimed: ClaimedRouteArticle): Post {
  const { postKey, postCreatedAt, title, text, url, summary, author, tags, feed } = claimed;
  const { imageUrl, imageAlt, language, refusals } = claimed;
  return {
    postKey,
    postCreatedAt: postCreatedAt.toISOString(),
    title,
    text,
    url,
    summary,
    author,
    tags,
    imageUrl,
    imageAlt,
    language,
    feed,
    articlePublishedAt: claimed.articlePublishedAt.toISOString(),
    refusals,
  };
}
