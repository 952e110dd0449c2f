/** What no server takes is no link; and a base is repeated in each link of its feed. */
const maxLinkLength = 8_000;

/**
 * A link as an absolute URL, or null for what is no http or https link, or longer than any. `bases`: from the outermost to the
 * innermost: the document's URL after redirects, then each `xml:base` on the way down (undefined: none).
 */
export function resolveLink(link: string | undefined, bases: readonly (string | undefined)[]): string | null {
  const trimmed = link?.trim();
  if (trimmed === undefined || trimmed === '') return null;
  const base = bases.reduce<string | undefined>((outer, inner) => joined(inner, outer) ?? outer, undefined);
  const resolved = joined(trimmed, base);
  return resolved !== undefined && /^https?:\/\//.test(resolved) ? resolved : null;
}

/** As `resolveLink`, for what is a link only if it says so itself (an RSS guid): nothing relative. */
export function absoluteLink(link: string | undefined): string | null {
  return resolveLink(link, []);
}

/** A relation may be written out in full: RFC 4287, section 4.2.7.2. */
const registry = /^http:\/\/www\.iana\.org\/assignments\/relation\//;

export type AtomLink = { href?: string; rel?: string; type?: string };

/** The entry's own page among its links: `alternate` (the default), HTML before any other type. */
export function alternateLink(links: readonly AtomLink[] | undefined): string | undefined {
  const alternates = (links ?? []).filter(
    link => (link.rel ?? 'alternate').replace(registry, '').toLowerCase() === 'alternate',
  );
  const html = alternates.find(link => link.type?.toLowerCase().startsWith('text/html'));
  return (html ?? alternates.find(link => link.href !== undefined))?.href;
}

function joined(link: string | undefined, base: string | undefined): string | undefined {
  if (link === undefined || link.length > maxLinkLength) return undefined;
  try {
    return new URL(link, base).href;
  } catch {
    return undefined;
  }
}
