const name = /^!?([\p{L}\p{N}_.-]+)(?:@([A-Za-z0-9.-]+(?::\d+)?))?$/u;
const path = /^\/c\/([^/]+)\/?$/;

/** Whether a text names a community: `news`, `news@host`, `!news@host`, `https://host/c/news`. */
export function isCommunity(text: string): boolean {
  return parts(text) !== null;
}

/**
 * The name by which an instance is asked for a community: `news@host`, or `news` for one of its own, however it
 * was written. Expects what `isCommunity` accepts. `instance`: its address; empty: not known.
 */
export function communityName(text: string, instance: string): string {
  const found = parts(text);
  if (found === null) return text;
  const isOwn = URL.canParse(instance) && new URL(instance).host === found.host;
  return found.host === null || isOwn ? found.name : `${found.name}@${found.host}`;
}

function parts(text: string): { name: string; host: string | null } | null {
  if (!/^https?:\/\//i.test(text)) return partsOfName(text);
  if (!URL.canParse(text)) return null;
  const { host, pathname } = new URL(text);
  const [, named] = path.exec(decoded(pathname)) ?? [];
  const found = named === undefined ? null : partsOfName(named);
  // An address on one instance may show another's community: `https://host/c/news@other`.
  return found && { name: found.name, host: found.host ?? host };
}

function partsOfName(text: string): { name: string; host: string | null } | null {
  const [, named, host] = name.exec(text) ?? [];
  return named === undefined ? null : { name: named.toLowerCase(), host: host?.toLowerCase() ?? null };
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
