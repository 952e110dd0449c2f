import type { Agent, Dispatcher } from 'undici';
import type { AddressGuard } from './addressGuard.ts';
import { connectionFailure, describeError } from './connectionFailure.ts';
import { acceptedEncodings, decodeBody } from './decodeBody.ts';
import { flatHeaders } from './flatHeaders.ts';
import { createGuardedAgent } from './guardedAgent.ts';
import type { FetchFailure, FetchOptions, FetchResult, GuardedFetch } from './guardedFetch.ts';
import { nextHop, parseTarget, startTrail, type Trail, withoutCredentials } from './redirects.ts';

const defaultMaxBodyBytes = 10 * 1024 * 1024;
const defaultTimeoutMs = 45_000;
const defaultMaxRedirects = 5;

/**
 * Makes the one function that reads from the outside world. One deadline spans everything, so that a
 * server that sends a byte a minute costs no more than a silent one. Each fetch has connections of its own.
 */
export function createGuardedFetch({
  guard,
  userAgent,
}: {
  guard: AddressGuard;
  userAgent: string;
}): GuardedFetch {
  return async (url, options = {}) => {
    const target = parseTarget(url);
    if (target === null) return failed('invalid_url', 'not an http or https URL');

    const deadline = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
    const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
    const agent = createGuardedAgent({ guard });
    try {
      const headers = { 'user-agent': userAgent, 'accept-encoding': acceptedEncodings, ...options.headers };
      return await followRedirects(startTrail(target, headers), { ...options, agent, signal });
    } catch (error) {
      if (options.signal?.aborted) return failed('aborted', 'the fetch was aborted');
      if (deadline.aborted) return failed('response_timeout', 'no whole answer within the time limit');
      return failed(connectionFailure(error) ?? 'unreadable_answer', describeError(error));
    } finally {
      agent.destroy().catch(() => {});
    }
  };
}

type Hop = Omit<FetchOptions, 'signal'> & { agent: Agent; signal: AbortSignal };

async function followRedirects(start: Trail, hop: Hop): Promise<FetchResult> {
  const maxRedirects = hop.maxRedirects ?? defaultMaxRedirects;
  let trail = start;

  for (let redirects = 0; ; redirects += 1) {
    const response = await request(trail, hop);
    const next =
      maxRedirects === 0 ? 'none' : nextHop(trail, response.statusCode, flatHeaders(response.headers));
    if (next === 'none') return readAnswer(trail, response, hop);

    discard(response);
    if (next === 'invalid') return failed('invalid_url', 'redirected to what is not an http or https URL');
    if (redirects === maxRedirects)
      return failed('too_many_redirects', `more than ${maxRedirects} redirects`);
    trail = next;
  }
}

function request({ url, headers }: Trail, { agent, signal }: Hop): Promise<Dispatcher.ResponseData> {
  return agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: { ...headers, ...basicAuthorization(url) },
    signal,
    // Off: the deadline in the signal covers them.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function readAnswer(trail: Trail, response: Dispatcher.ResponseData, hop: Hop): Promise<FetchResult> {
  const maxBodyBytes = hop.maxBodyBytes ?? defaultMaxBodyBytes;
  const tooLarge = failed('too_large', `more than ${maxBodyBytes} bytes`);
  const headers = flatHeaders(response.headers);

  const encoded = await readUpTo(maxBodyBytes, response);
  if (encoded === null) return tooLarge;

  const decoded = await decodeBody(encoded, headers['content-encoding'], maxBodyBytes);
  if (decoded.kind === 'too_large') return tooLarge;
  if (decoded.kind === 'unreadable') return failed('unreadable_answer', decoded.detail);

  const { statusCode: status } = response;
  const url = withoutCredentials(trail.url);
  return { kind: 'answered', status, headers, body: decoded.body, url, movedTo: trail.movedTo };
}

/** Null: there is more. */
async function readUpTo(maxBytes: number, response: Dispatcher.ResponseData): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      discard(response);
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// Not read to its end: it may have none.
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {}).destroy();
}

function basicAuthorization({ username, password }: URL): { authorization?: string } {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function failed(failure: FetchFailure, detail: string): FetchResult {
  return { kind: 'failed', failure, detail };
}
