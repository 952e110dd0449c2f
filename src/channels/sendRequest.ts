import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { AddressGuard } from '../network/addressGuard.ts';
import { createGuardedAgent } from '../network/guardedAgent.ts';
import { parseTarget } from '../network/redirects.ts';
import { createExchange } from './exchange.ts';

/**
 * How far a request got when it ended.
 * `not_sent`: no byte of it was handed to the socket. `sent`: some of it may have arrived.
 * `answered`: a complete answer was read.
 */
export type RequestPhase = 'not_sent' | 'sent' | 'answered';

export type OutgoingRequest = {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | null;
  /** Of the answer; the rest is cut off. Default 64 kB: a list of posts needs more. */
  maxAnswerBytes?: number;
};

export type RequestFailure =
  | 'connection_refused'
  | 'connection_timeout'
  | 'connection_reset'
  | 'dns_failed'
  | 'tls_failed'
  | 'address_refused'
  | 'response_timeout'
  | 'unreadable_answer'
  | 'send_by_passed'
  | 'aborted';

export type RequestResult =
  | {
      phase: 'answered';
      status: number;
      /** Names in lower case. */
      headers: Readonly<Record<string, string>>;
      /** UTF-8, cut at `maxAnswerBytes`. */
      body: string;
      /** From Retry-After (seconds or a date), as an instant; null when absent or unreadable. */
      retryAfter: Date | null;
    }
  | { phase: 'not_sent' | 'sent'; failure: RequestFailure; detail: string };

/** Makes one request, never follows a redirect, and reports the phase reached. Never throws. */
export type SendRequest = (request: OutgoingRequest) => Promise<RequestResult>;

export type SendRequestOptions = {
  guard: AddressGuard;
  clock: Clock;
  /** Past this instant nothing is handed to a socket any more. */
  sendBy: Date;
  userAgent: string;
  signal: AbortSignal;
  /** Both from the call on. */
  limits: Pick<Limits, 'sendConnectMs' | 'sendAnswerMs'>;
};

/**
 * Makes the request function of one publication. Each request has a fresh connection: one kept alive may be
 * closed by the server while we write to it, and a plain failure would become an unknown outcome.
 */
export function createSendRequest(options: SendRequestOptions): SendRequest {
  return async request => {
    const { sendConnectMs, sendAnswerMs } = options.limits;
    const target = parseTarget(request.url);
    if (target === null) return refused('address_refused', 'not an http or https URL');
    if (options.signal.aborted) return refused('aborted', 'aborted before the request');
    if (options.clock.now() > options.sendBy) return refused('send_by_passed', 'its time to send had passed');

    const agent = createGuardedAgent({ guard: options.guard, connectTimeoutMs: sendConnectMs });
    const exchange = createExchange({ ...options, maxAnswerBytes: request.maxAnswerBytes });
    const timers = [
      setTimeout(exchange.connectTimedOut, sendConnectMs),
      setTimeout(exchange.timedOut, sendAnswerMs),
    ];
    options.signal.addEventListener('abort', exchange.aborted);
    try {
      agent.dispatch(dispatchOptions(request, target, options.userAgent), exchange.handler);
      return await exchange.result;
    } finally {
      timers.forEach(clearTimeout);
      options.signal.removeEventListener('abort', exchange.aborted);
      agent.destroy().catch(() => {});
    }
  };
}

function dispatchOptions({ method, headers, body }: OutgoingRequest, target: URL, userAgent: string) {
  return {
    origin: target.origin,
    path: `${target.pathname}${target.search}`,
    method,
    headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers },
    body,
    // Asks the server to close: there is no second request.
    reset: true,
    // Off: the exchange has its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

function refused(failure: RequestFailure, detail: string): RequestResult {
  return { phase: 'not_sent', failure, detail };
}
