import { setImmediate } from 'node:timers/promises';
import type { FetchOptions, FetchResult, GuardedFetch } from '../../src/network/guardedFetch.ts';

export type FakeItem = { title?: string; link?: string; guid?: string; date?: string; description?: string };

/** An RSS document of these items, in this order. */
export function rssOf(items: readonly FakeItem[], title = 'Blog'): string {
  const element = (name: string, value: string | undefined, attributes = '') =>
    value === undefined ? '' : `<${name}${attributes}><![CDATA[${value}]]></${name}>`;
  const xml = items.map(
    item =>
      `<item>${element('title', item.title)}${element('link', item.link)}${element('guid', item.guid, ' isPermaLink="false"')}${element('pubDate', item.date)}${element('description', item.description)}</item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>${title}</title>${xml.join('')}</channel></rss>`;
}

export type FakeAnswer = {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  movedTo?: string;
};

/** Where a link ends; null never answers, until aborted. */
export type FakeEnd = { url: string; status?: number } | null;

export type FakeRequest = { url: string; headers: Readonly<Record<string, string>> };

/**
 * A world of feeds: answers by URL. `null` never answers, until aborted. A URL without an answer refuses the
 * connection. Links that are followed are counted apart, in `followed`, and end where `ends` has them.
 */
export function fakeFetch(
  answers: Map<string, FakeAnswer | null>,
  ends: ReadonlyMap<string, FakeEnd> = new Map(),
) {
  const requests: FakeRequest[] = [];
  const followed: string[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const busyHosts = new Set<string>();
  let mostAtOneHost = 0;
  const fetch: GuardedFetch = async (url, options = {}) => {
    const { host } = new URL(url);
    mostAtOneHost = Math.max(mostAtOneHost, busyHosts.has(host) ? 2 : 1);
    busyHosts.add(host);
    try {
      return await (options.headersOnly ? follow(url, options) : read(url, options));
    } finally {
      busyHosts.delete(host);
    }
  };
  const follow: GuardedFetch = async (url, options = {}) => {
    followed.push(url);
    await setImmediate();
    return endOf(ends.get(url), options);
  };
  const read: GuardedFetch = async (url, options = {}) => {
    requests.push({ url, headers: options.headers ?? {} });
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    try {
      await setImmediate();
      return await answer(answers.get(url), url, options);
    } finally {
      running -= 1;
    }
  };
  return { fetch, requests, followed, mostAtOnce: () => mostAtOnce, mostAtOneHost: () => mostAtOneHost };
}

async function endOf(end: FakeEnd | undefined, options: FetchOptions): Promise<FetchResult> {
  if (!end) return answer(end, '', options);
  const { url, status = 200 } = end;
  return { kind: 'answered', status, headers: {}, body: Buffer.alloc(0), url, movedTo: null };
}

async function answer(
  given: FakeAnswer | null | undefined,
  url: string,
  { signal }: FetchOptions,
): Promise<FetchResult> {
  if (given === undefined) return { kind: 'failed', failure: 'connection_refused', detail: 'nobody there' };
  if (given === null) {
    await new Promise<void>(resolve => {
      if (signal?.aborted) resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    return { kind: 'failed', failure: 'aborted', detail: 'the fetch was aborted' };
  }
  const { status = 200, headers = {}, body = '', movedTo = null } = given;
  return {
    kind: 'answered',
    status,
    headers,
    body: typeof body === 'string' ? Buffer.from(body) : body,
    url,
    movedTo,
  };
}

/** Locks within one process: enough where two consumers of the same process meet. */
export function fakeLocks() {
  const held = new Map<string, AbortController>();
  const lock = async (unit: string) => {
    if (held.has(unit)) return null;
    const controller = new AbortController();
    held.set(unit, controller);
    return { unit, signal: controller.signal, release: async () => void held.delete(unit) };
  };
  return { lock, held };
}
