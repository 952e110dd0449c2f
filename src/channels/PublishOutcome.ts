/** Whom an answer is about: the hold that follows is set on it. */
export type HoldScope = 'channel' | 'account';

/** Short words for machines; what the remote side said goes into `detail`. */
export type OutcomeCode =
  | 'invalid_post'
  | 'too_long'
  | 'connection_refused'
  | 'connection_timeout'
  | 'dns_failed'
  | 'tls_failed'
  | 'address_refused'
  | 'response_timeout'
  | 'connection_reset'
  | 'unreadable_answer'
  | 'server_error'
  | 'rejected'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'gone'
  | 'rate_limited'
  | 'unavailable'
  | 'no_account'
  | 'image_unavailable'
  | 'lookup_failed'
  | 'write_failed'
  | 'send_by_passed'
  | 'aborted';

/**
 * What came of one try to publish: expected answers of the world, as values.
 *
 * - `succeeded`: the remote side has it.
 * - `skipped`: it is already there; terminal, costs no attempt.
 * - `failed`: definitely not accepted. `isFinal`: no retry can mend it. `blames`: an article that is
 *   refused says nothing against its channel.
 * - `throttled`, `blocked`: not the article's fault; the scope is held. `until` null: the usual steps.
 *   `isGone`: held until a person resumes it; of an account: until it has been reconnected.
 * - `unknown`: the request left and no definite answer was read. Never sent again blindly.
 * - `not_sent`: refused before it was handed to the socket, by its deadline or by an abort; given back.
 */
export type PublishOutcome =
  | { kind: 'succeeded'; remoteId: string | null; remoteUrl: string | null }
  | { kind: 'skipped'; reason: 'already_there'; detail: string }
  | { kind: 'failed'; code: OutcomeCode; detail: string; isFinal: boolean; blames: 'article' | 'channel' }
  | { kind: 'throttled'; scope: HoldScope; code: OutcomeCode; detail: string; until: Date | null }
  | { kind: 'blocked'; scope: HoldScope; code: OutcomeCode; detail: string; isGone: boolean }
  | { kind: 'unknown'; code: OutcomeCode; detail: string }
  | { kind: 'not_sent'; code: 'send_by_passed' | 'aborted'; detail: string };
