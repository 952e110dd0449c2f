import { canonicalUrl } from '../network/canonicalUrl.ts';

/**
 * Whether two addresses are one link, as a duplicate is looked for on the remote side: by their canonical
 * form, and http and https of one are the same, as platforms may upgrade a link that they store. The key by
 * which our articles are told apart (`urlKey`) keeps those two apart: changing it would make what was
 * published new again. What is no http or https address is the same only as itself.
 */
export function sameLink(a: string, b: string): boolean {
  if (a === b) return true;
  return isHttp(a) && isHttp(b) && withoutScheme(canonicalUrl(a)) === withoutScheme(canonicalUrl(b));
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:/, '');
}
