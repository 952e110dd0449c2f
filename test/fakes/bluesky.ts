import { type Clock, standingClock } from '../../src/clock.ts';
import { jsonAnswer, type ProtocolFake } from '../support/protocolFake.ts';
import { type AccountState, PdsState, refusal } from './bluesky/PdsState.ts';
import type { LimitName } from './bluesky/rateLimits.ts';
import { repoMethods } from './bluesky/repoMethods.ts';
import type { Repository } from './bluesky/repository.ts';
import { sessionMethods } from './bluesky/sessionMethods.ts';

export type BlueskyFakeOptions = {
  handle?: string;
  /** Default: stands a second after `examplePost` was made. */
  clock?: Clock;
  /** Default true; a PDS that people run may have them off. */
  hasRateLimits?: boolean;
  /** What a log-in says about where the account's data lies. Default: nothing, as a PDS of one's own. */
  didDoc?: unknown;
};

export type BlueskyFake = ProtocolFake & {
  did: string;
  handle: string;
  appPassword: string;
  /** Of the account itself. */
  password: string;
  repository: Repository;
  /** How many log-ins and refreshes it granted. */
  logIns(): number;
  refreshes(): number;
  /** What was opened with it goes on until its token expires, and is not refreshed. */
  revokeAppPassword(): void;
  becomes(state: AccountState): void;
  /** Leaves nothing of a limit. */
  exhaust(name: LimitName): void;
};

/** A PDS with one account, as far as a publisher needs it. What it answers was measured: `describePds`. */
export function createBlueskyFake(options: BlueskyFakeOptions = {}): BlueskyFake {
  const { handle = 'news.pds.test', hasRateLimits = true, didDoc } = options;
  const { clock = standingClock(new Date('2026-09-07T08:30:01.000Z')) } = options;
  const pds = new PdsState({ handle, clock, hasRateLimits });
  const methods = { ...sessionMethods(pds, didDoc), ...repoMethods(pds) };
  // It hands what it does not know on to Bluesky's own servers, which are not there.
  const unknownMethod = refusal(502, 'UpstreamFailure', 'Upstream service unreachable');

  return {
    did: pds.did,
    handle,
    appPassword: pds.appPassword,
    password: pds.password,
    repository: pds.repository,
    logIns: () => pds.logIns,
    refreshes: () => pds.refreshes,
    revokeAppPassword() {
      pds.isAppPasswordRevoked = true;
      pds.tokens.revokeRefreshTokens();
    },
    becomes(state) {
      pds.account = state;
    },
    exhaust(name) {
      pds.limits.consume([name], 100_000);
    },
    answer(request) {
      const { pathname, searchParams } = new URL(request.path, 'http://pds.test');
      const method = methods[pathname.replace('/xrpc/', '')];
      const { status, body, headers } = method?.(request, searchParams) ?? unknownMethod;
      return jsonAnswer(status, body, headers);
    },
    isPost: ({ path }) => /\/com\.atproto\.repo\.(putRecord|createRecord|applyWrites)$/.test(path),
    posts: () => pds.repository.keys().map(key => pds.uriOf(key)),
  };
}
