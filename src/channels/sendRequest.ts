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
      /** UTF-8, cut at 64 kB. */
      body: string;
      /** From Retry-After (seconds or a date), as an instant; null when absent or unreadable. */
      retryAfter: Date | null;
    }
  | { phase: 'not_sent' | 'sent'; failure: RequestFailure; detail: string };

/** Makes one request, never follows a redirect, and reports the phase reached. Never throws. */
export type SendRequest = (request: OutgoingRequest) => Promise<RequestResult>;
