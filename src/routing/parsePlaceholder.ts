/** What stands between `{{` and `}}`, taken apart but not yet checked. */
export type Placeholder = { name: string; filters: readonly FilterCall[] };

export type FilterCall = {
  name: string;
  /** As it stands behind the colon; null: there is no colon. */
  argument: string | null;
};

export const mostNumber = 99_999;

/** `title | truncate: 80` as a name and its filters, in their order. */
export function parsePlaceholder(inner: string): Placeholder {
  const [name = '', ...calls] = inner.split('|').map(part => part.trim());
  return { name, filters: calls.map(filterCall) };
}

/** A filter's number, 1 to `mostNumber`; null: it is none. */
export function filterNumber(argument: string | null): number | null {
  return argument !== null && /^[1-9]\d{0,4}$/.test(argument) ? Number(argument) : null;
}

function filterCall(call: string): FilterCall {
  const colon = call.indexOf(':');
  if (colon === -1) return { name: call, argument: null };
  return { name: call.slice(0, colon).trim(), argument: call.slice(colon + 1).trim() };
}
