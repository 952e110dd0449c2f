import type { Clock } from '../clock.ts';
import type { FetchFailure, FetchResult, GuardedFetch } from '../network/guardedFetch.ts';
import { parseRetryAfter } from '../network/retryAfter.ts';
import type { PageMetadata, readPage } from './readPage.ts';
import type { Robots } from './robots.ts';

export type PageTools = {
  fetch: GuardedFetch;
  robots: Robots;
  isHtml: (contentType: string | null, body: Buffer) => boolean;
  readPage: typeof readPage;
  /** Until a page is there. */
  pageMs: number;
};

/** `page` null: it is no HTML. `refused`: asking again would not help. `cut_off`: told to stop. */
export type PageAnswer =
  | { kind: 'read'; page: PageMetadata | null; crawlDelayMs: number }
  | { kind: 'disallowed'; detail: string }
  | { kind: 'refused'; detail: string; crawlDelayMs: number }
  /** `notBefore`: until when its server wants no more requests; null: it said nothing of it. */
  | { kind: 'failed'; detail: string; notBefore: Date | null }
  | { kind: 'cut_off' };

/** The head of a page is what is read of it. */
const maxBodyBytes = 512 * 1024;
const headers = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1' };

/** Asked again, these fail again. */
const lasting: readonly FetchFailure[] = ['address_refused', 'invalid_url', 'too_many_redirects'];
/** Of the 4xx, those that are no refusal. */
const passing: readonly number[] = [408, 425, 429];

/** Reads what the page of an article says of it, if its host lets itself be asked. */
export async function askPage(
  url: string,
  { fetch, robots, pageMs, ...reading }: PageTools,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<PageAnswer> {
  const verdict = await robots.verdict(url, signal);
  if (signal.aborted) return { kind: 'cut_off' };
  if (verdict.kind === 'disallowed') return { kind: 'disallowed', detail: 'robots.txt disallows it' };
  if (verdict.kind === 'unknown')
    return { kind: 'failed', detail: `robots.txt: ${verdict.detail}`, notBefore: null };

  const options = { headers, maxBodyBytes, cutBody: true, timeoutMs: pageMs, signal };
  const result = await fetch(url, options);
  if (signal.aborted) return { kind: 'cut_off' };
  const { crawlDelayMs } = verdict;
  const answer = await readAnswer(result, reading, { crawlDelayMs, now: clock.now() });
  return signal.aborted ? { kind: 'cut_off' } : answer;
}

async function readAnswer(
  result: FetchResult,
  { isHtml, readPage }: Pick<PageTools, 'isHtml' | 'readPage'>,
  { crawlDelayMs, now }: { crawlDelayMs: number; now: Date },
): Promise<PageAnswer> {
  if (result.kind === 'failed') {
    const { failure, detail } = result;
    if (lasting.includes(failure)) return { kind: 'refused', detail, crawlDelayMs };
    return { kind: 'failed', detail: `${failure}: ${detail}`, notBefore: null };
  }
  const { status, body, url } = result;
  const detail = `the server answered ${status}`;
  if (status >= 400 && status < 500 && !passing.includes(status))
    return { kind: 'refused', detail, crawlDelayMs };
  if (status < 200 || status > 299)
    return { kind: 'failed', detail, notBefore: parseRetryAfter(result.headers['retry-after'], now) };
  const contentType = result.headers['content-type'] ?? null;
  const page = isHtml(contentType, body) ? await readPage({ body, contentType, url }) : null;
  return { kind: 'read', page, crawlDelayMs };
}
