import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { connectionFailure, describeError } from '../network/connectionFailure.ts';
import { flatHeaders } from '../network/flatHeaders.ts';
import { parseRetryAfter } from '../network/retryAfter.ts';
import type { RequestFailure, RequestResult } from './sendRequest.ts';

/**
 * One request on its way, and how far it has got: for a public post, twice is worse than late, so whatever
 * ends it says whether a byte may have left. The first end counts; later ones change nothing.
 */
export type Exchange = {
  result: Promise<RequestResult>;
  /** What undici calls back. */
  handler: Dispatcher.DispatchHandler;
  aborted(): void;
  connectTimedOut(): void;
  timedOut(): void;
};

const defaultMaxAnswerBytes = 64 * 1024;

export type ExchangeOptions = { clock: Clock; sendBy: Date; maxAnswerBytes?: number | undefined };

/** Prepares an exchange; `sendBy` is held against `clock` at the instant of the hand-over. */
export function createExchange({
  clock,
  sendBy,
  maxAnswerBytes = defaultMaxAnswerBytes,
}: ExchangeOptions): Exchange {
  const { promise: result, resolve } = withResolvers<RequestResult>();
  let phase: 'not_sent' | 'sent' = 'not_sent';
  let hasEnded = false;
  let head: { status: number; headers: Record<string, string> } = { status: 0, headers: {} };
  const chunks: Buffer[] = [];
  let bytes = 0;

  function end(ended: RequestResult): void {
    hasEnded = true;
    resolve(ended);
  }

  function fail(failure: RequestFailure, detail: string): void {
    end({ phase, failure, detail });
  }

  function answer(): void {
    const { status, headers } = head;
    const body = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
    end({
      phase: 'answered',
      status,
      headers,
      body,
      retryAfter: parseRetryAfter(headers['retry-after'], clock.now()),
    });
  }

  const handler: Dispatcher.DispatchHandler = {
    // undici writes in the same turn, right after this returns, unless it aborts: what is decided here
    // cannot be overtaken. It may start a request again on a new connection; a second start never writes.
    onRequestStart(controller) {
      if (phase === 'sent') fail('connection_reset', 'the connection was lost');
      else if (clock.now() > sendBy) fail('send_by_passed', `connected only after ${sendBy.toISOString()}`);
      if (hasEnded) return controller.abort(new Error('not to be sent'));
      phase = 'sent';
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      head = { status, headers: flatHeaders(headers) };
      // Whole without a body, even where a sloppy server announces one.
      if (status === 204 || status === 304) answer();
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxAnswerBytes) answer();
    },
    onResponseEnd: answer,
    onResponseError(_controller, error) {
      fail(failureIn(phase, head.status !== 0, error), describeError(error));
    },
  };

  return {
    result,
    handler,
    aborted: () =>
      fail(
        'aborted',
        phase === 'sent' ? 'aborted while waiting for the answer' : 'aborted before it was sent',
      ),
    connectTimedOut() {
      if (phase === 'not_sent') fail('connection_timeout', 'no connection within the time limit');
    },
    timedOut() {
      if (phase === 'sent') fail('response_timeout', 'no whole answer within the time limit');
      else fail('connection_timeout', 'no connection within the time limit');
    },
  };
}

function failureIn(phase: 'not_sent' | 'sent', hasHead: boolean, error: Error): RequestFailure {
  const failure = connectionFailure(error);
  if (phase === 'not_sent') return failure ?? 'connection_refused';
  if (hasHead || failure === null) return 'unreadable_answer';
  return failure === 'connection_timeout' ? 'response_timeout' : failure;
}

// Promise.withResolvers comes with Node 22.
function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}
