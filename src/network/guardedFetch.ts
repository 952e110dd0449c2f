/** Limits and permissions of one guarded fetch. */
export type FetchOptions = {
  headers?: Readonly<Record<string, string>>;
  /** After decompression. Default 10 MiB. */
  maxBodyBytes?: number;
  /** Whether a longer body is answered up to there, instead of refused. Default false. */
  cutBody?: boolean;
  /** From the first connect to the last byte, redirects included. Default 45,000. */
  timeoutMs?: number;
  /** Default 5. 0: a redirect is answered as it is. */
  maxRedirects?: number;
  /** Whether the body is left unread, and comes as an empty one. Default false. */
  headersOnly?: boolean;
  signal?: AbortSignal;
};

export type FetchFailure =
  | 'address_refused'
  | 'invalid_url'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_timeout'
  | 'connection_reset'
  | 'tls_failed'
  | 'response_timeout'
  | 'too_large'
  | 'too_many_redirects'
  | 'unreadable_answer'
  | 'aborted';

export type FetchResult =
  | {
      kind: 'answered';
      status: number;
      /** Names in lower case. */
      headers: Readonly<Record<string, string>>;
      body: Buffer;
      /** Where the answer came from, after redirects. */
      url: string;
      /** The URL that permanent redirects (301, 308) alone led to, from the first hop on; null if none did. */
      movedTo: string | null;
    }
  /** `ledTo`: whither redirects had led when it failed; absent before the first. */
  | { kind: 'failed'; failure: FetchFailure; detail: string; ledTo?: string };

/** GETs a URL of the outside world. Private addresses are refused on every hop. Never throws. */
export type GuardedFetch = (url: string, options?: FetchOptions) => Promise<FetchResult>;
