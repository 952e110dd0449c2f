/** Where a fetch stands after the redirects so far. */
export type Trail = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** What permanent redirects alone led to, from the first hop on; null if none did. */
  movedTo: string | null;
  isPermanent: boolean;
};

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const permanentStatuses = new Set([301, 308]);
const credentialHeaders = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Null for what is not an absolute http or https URL. */
export function parseTarget(text: string, base?: URL): URL | null {
  try {
    const url = new URL(text, base);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
  } catch {
    return null;
  }
}

export function startTrail(url: URL, headers: Readonly<Record<string, string>>): Trail {
  return { url, headers, movedTo: null, isPermanent: true };
}

/**
 * The trail after an answer. `none`: it is no redirect (or one without a Location) and stands for itself;
 * `invalid`: it leads to what is not http. Credentials, of headers and of the URL, stay with their origin.
 */
export function nextHop(
  trail: Trail,
  status: number,
  answerHeaders: Readonly<Record<string, string>>,
): Trail | 'none' | 'invalid' {
  const { location } = answerHeaders;
  if (!redirectStatuses.has(status) || location === undefined) return 'none';
  const url = parseTarget(location, trail.url);
  if (url === null) return 'invalid';

  const isSameOrigin = url.origin === trail.url.origin;
  if (isSameOrigin && url.username === '') {
    url.username = trail.url.username;
    url.password = trail.url.password;
  }
  // As browsers do: a redirect keeps the fragment unless it brings its own.
  if (url.hash === '') url.hash = trail.url.hash;

  const isPermanent = trail.isPermanent && permanentStatuses.has(status);
  return {
    url,
    headers: isSameOrigin ? trail.headers : withoutCredentialHeaders(trail.headers),
    movedTo: isPermanent ? url.href : trail.movedTo,
    isPermanent,
  };
}

/** For links and logs: what is derived from a URL must not carry its password on. */
export function withoutCredentials(url: URL): string {
  const stripped = new URL(url);
  stripped.username = '';
  stripped.password = '';
  return stripped.href;
}

function withoutCredentialHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !credentialHeaders.has(name.toLowerCase())),
  );
}
