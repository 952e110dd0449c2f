import { articleHtml, type ContentChoice } from '../../text/articleHtml.ts';
import { publicationSlug } from '../../text/slug.ts';
import type { Post } from '../Channel.ts';

/** What is sent: the REST API's own names, but for what is added when the post is composed. */
export type PostBody = { slug: string; title: string; content: string; excerpt: string };

/**
 * An article as a post. All three texts are HTML to WordPress. Brackets are escaped as well: a feed must not be
 * able to call the site's shortcodes.
 */
export function postBodyOf(post: Post, choice: ContentChoice): PostBody {
  return {
    slug: publicationSlug(post),
    title: inertText(post.title),
    content: inert(articleHtml(post, choice)),
    excerpt: inertText(post.summary ?? ''),
  };
}

// Quotes stay as they are, as WordPress sets them in the language's own way.
function inertText(text: string): string {
  return inert(text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'));
}

function inert(html: string): string {
  return html.replaceAll('[', '&#91;');
}
