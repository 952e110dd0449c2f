import normalizeUrl from 'normalize-url';

const mostPasses = 3;
/** More are no article's, but made to cost: taking one out takes as long as all of them are. */
const mostParameters = 100;

/** Parameters that tell where a reader came from, not what is read. */
const trackers = [
  /^(utm|mtm|pk|piwik|matomo|hsa|vero|oly_anon|oly_enc|trk)_/i,
  /^(fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|ysclid|twclid|ttclid|igshid|igsh|li_fat_id)$/i,
  /^(mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|__hssc|__hstc|__hsfp|hsctatracking|ml_subscriber|ml_subscriber_hash)$/i,
  /^(_ga|_gl|_ke|ref_src|ref_url|cmpid|wt_mc|wt\.mc_id|at_medium|at_campaign|xtor|s_cid|rb_clickid|epik)$/i,
];

/**
 * The form of a URL by which two are the same article: host in lower case, default port, tracking
 * parameters, fragment and trailing slash gone, the other parameters sorted (of more than a hundred, all stay as
 * they are). Fragments that begin with `#!`
 * or `#/` are routes of a page's script and stay. It is a key, never to be posted: it also drops credentials
 * and joins `a//b`. Expects an absolute http or https URL.
 */
export function canonicalUrl(url: string): string {
  let canonical = normalized(url);
  // What one pass leaves may be for the next: a question mark with nothing behind it, a slash that was encoded.
  for (let pass = 0; pass < mostPasses; pass++) {
    const next = normalized(canonical.replace(/\?$/, ''));
    if (next === canonical) break;
    canonical = next;
  }
  return canonical;
}

function normalized(url: string): string {
  const isSorted = (url.match(/&/g)?.length ?? 0) < mostParameters;
  return normalizeUrl(url, {
    stripHash: !/#[!/]/.test(url),
    stripWWW: false,
    removeTrailingSlash: true,
    removeQueryParameters: isSorted ? trackers : false,
    sortQueryParameters: isSorted,
  });
}
