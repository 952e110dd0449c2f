import { canonicalUrl } from '../../network/canonicalUrl.ts';
import { sameLink } from '../../text/sameLink.ts';

/**
 * The forms in which an instance may have stored a link that is compared letter by letter: as it is, without
 * what its cleaning takes off (fragment, tracking parameters), each with and without a slash at the end of its path,
 * and with https where the feed still says http. The likeliest first.
 */
export function linkForms(link: string): string[] {
  const given = new URL(link);
  const schemes = given.protocol === 'http:' ? ['http:', 'https:'] : ['https:'];
  const forms = schemes.flatMap(protocol => {
    const whole = changed(given, url => {
      url.protocol = protocol;
    });
    return [withoutTrackers(whole), whole].flatMap(url => [url.href, withOtherEnd(url)]);
  });
  return [...new Set(forms)];
}

/** Whether a post has a link. An instance may have put its image proxy before a link to a picture. */
export function hasLink(postUrl: string | null, link: string): boolean {
  return postUrl !== null && sameLink(behindProxy(postUrl), link);
}

function withoutTrackers(whole: URL): URL {
  return changed(whole, url => {
    url.hash = '';
    const kept = [...url.searchParams].filter(([name, value]) => !isTracker(name, value));
    // As it was written, where nothing goes: a query that is built anew may be spelt otherwise.
    if (kept.length < [...url.searchParams].length) url.search = new URLSearchParams(kept).toString();
  });
}

function isTracker(name: string, value: string): boolean {
  const bare = 'https://example.test/';
  return canonicalUrl(`${bare}?${new URLSearchParams([[name, value]])}`) === canonicalUrl(bare);
}

function withOtherEnd(whole: URL): string {
  return changed(whole, url => {
    url.pathname = url.pathname.endsWith('/') ? url.pathname.replace(/\/+$/, '') : `${url.pathname}/`;
  }).href;
}

function changed(original: URL, change: (url: URL) => void): URL {
  const url = new URL(original);
  change(url);
  return url;
}

function behindProxy(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, searchParams } = new URL(url);
  return pathname.endsWith('/image_proxy') ? (searchParams.get('url') ?? url) : url;
}
