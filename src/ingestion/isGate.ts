import { canonicalUrl } from '../network/canonicalUrl.ts';

/** A site's front page, in its languages. */
const frontPage = /^\/(?:[a-z]{2}(?:[-_][a-z]{2})?|home|index\.\w{2,5})?\/?$/i;

/** Anywhere in a path: what stands between a reader and the page. */
const gateSegment =
  /^(?:log-?in|sign-?in|sign-?up|consent|cookie-?consent|cookie-?wall|oauth2?|authori[sz]e|sso|captcha|paywall|geo-?block(?:ed)?)(?:\.\w+)?$/i;
/** At the end of a path. */
const gatePage =
  /^(?:40[0-9]|50[0-9]|not-?found|page-?not-?found|error|errors|subscribe|register|account|accounts|auth|blocked|denied|unavailable|sorry|privacy|age-?(?:gate|check|verification))(?:\.\w+)?$/i;
const gateHost = /^(?:consent|login|signin|accounts?|auth|sso|captcha|cookiewall)\./i;

/**
 * Whether the end of a link is no article's address but what a site shows in its place: its front page, where a
 * link had named more than that, a log-in, a wall, a page of errors, or an address that remembers whither a
 * reader wanted. Errs on that side: a link that is not followed is its own address.
 */
export function isGate(link: string, end: string): boolean {
  const from = new URL(link);
  // Without parameters that only say where a reader came from.
  const to = new URL(canonicalUrl(end));
  const segments = to.pathname.split('/').filter(segment => segment !== '');
  if (frontPage.test(to.pathname) && to.search === '' && to.hash === '')
    return !frontPage.test(from.pathname);
  return (
    gateHost.test(to.host) ||
    segments.some(segment => gateSegment.test(segment)) ||
    gatePage.test(segments.at(-1) ?? '') ||
    [...to.searchParams.values()].some(value => isWayBack(value, from))
  );
}

function isWayBack(value: string, { pathname }: URL): boolean {
  return /^https?:\/\//i.test(value) || (pathname.length > 1 && value.includes(pathname));
}
