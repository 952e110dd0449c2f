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
    const headers = { 'user-agent': userAgent, 'accept-encoding': acceptedEncodings, ...options.headers };
    let reached: Trail | null = null;
    const onRedirect = (trail: Trail) => {
      reached = trail;
    };
    try {
      return await followRedirects(startTrail(target, headers), { ...options, agent, signal, onRedirect });
    } catch (error) {
      if (options.signal?.aborted) return failed('aborted', 'the fetch was aborted', reached);
      if (deadline.aborted)
        return failed('response_timeout', 'no whole answer within the time limit', reached);
      return failed(connectionFailure(error) ?? 'unreadable_answer', describeError(error), reached);
    } finally {
      agent.destroy().catch(() => {});
    }
  };
}

type Hop = Omit<FetchOptions, 'signal'> & {
  agent: Agent;
  signal: AbortSignal;
  onRedirect: (trail: Trail) => void;
};

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
    hop.onRedirect(trail);
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
  const { statusCode: status } = response;
  const from = { url: withoutCredentials(trail.url), movedTo: trail.movedTo };
  if (hop.headersOnly) {
    discard(response);
    return {
      kind: 'answered',
      status,
      headers: flatHeaders(response.headers),
      body: Buffer.alloc(0),
      ...from,
    };
  }
  const maxBodyBytes = hop.maxBodyBytes ?? defaultMaxBodyBytes;
  const tooLarge = failed('too_large', `more than ${maxBodyBytes} bytes`);
  const headers = flatHeaders(response.headers);

  const cut = hop.cutBody ?? false;
  const { encoded, isWhole } = await readUpTo(maxBodyBytes, response);
  if (!isWhole && !cut) return tooLarge;

  const decoded = await decodeBody(encoded, headers['content-encoding'], maxBodyBytes, { cut });
  if (decoded.kind === 'too_large') return tooLarge;
  if (decoded.kind === 'unreadable') return failed('unreadable_answer', decoded.detail);

  return { kind: 'answered', status, headers, body: decoded.body, ...from };
}

async function readUpTo(
  maxBytes: number,
  response: Dispatcher.ResponseData,
): Promise<{ encoded: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxBytes) {
      discard(response);
      return { encoded: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false };
    }
  }
  return { encoded: Buffer.concat(chunks), isWhole: true };
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

function failed(failure: FetchFailure, detail: string, reached: Trail | null = null): FetchResult {
  const ledTo = reached === null ? {} : { ledTo: withoutCredentials(reached.url) };
  return { kind: 'failed', failure, detail, ...ledTo };
}
