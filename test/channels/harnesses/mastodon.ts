import { mastodon } from '../../../src/channels/mastodon.ts';
import { fakeMastodon } from '../../fakes/mastodon.ts';
import { openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome } from '../describeChannel.ts';

const token = 'a-token-that-nobody-may-see';
const accountAt = (instance: string) => ({ instance, username: '@Bot', token });

export const mastodonHarness: ChannelHarness = {
  channel: mastodon,
  reconciliation: 'look_up',
  secrets: [token],
  async open() {
    const fake = fakeMastodon({ token });
    const open = await openProtocolFake(fake);
    return {
      settings: { visibility: 'unlisted' },
      account: accountAt(open.url),
      posts: async () => fake.posts(),
      close: open.close,
    };
  },
  refusals: [],
  network: {
    settingsAt: () => ({}),
    accountAt,
    fake: () => fakeMastodon({ token }),
    answers: [
      answer('an answer without an id', 200, {}, { kind: 'unknown', code: 'unreadable_answer' }),
      answer('what was scheduled', 200, { id: '1', scheduled_at: 'later' }, { kind: 'unknown' }),
      answer('a redirect', 301, {}, failed('rejected', 'channel')),
      answer('what is to be seen elsewhere', 303, {}, { kind: 'unknown', code: 'unreadable_answer' }),
      answer('a time that ran out', 408, '', { kind: 'unknown', code: 'server_error' }),
      answer('a revoked token', 401, 'The access token was revoked', blocked('account', 'unauthorized')),
      answer("Pleroma's revoked token", 403, 'Invalid credentials.', blocked('account', 'unauthorized')),
      answer(
        'a login that is disabled',
        403,
        'Your login is currently disabled',
        blocked('account', 'forbidden'),
      ),
      answer(
        'a login that awaits approval',
        403,
        'Your login is currently pending approval',
        blocked('account', 'forbidden'),
      ),
      answer(
        'a login without its e-mail',
        403,
        'Your login is missing a confirmed e-mail address',
        blocked('account', 'forbidden'),
      ),
      answer('a missing scope', 403, 'This action is outside the authorized scopes', {
        ...blocked('account', 'forbidden'),
        isGone: true,
      }),
      answer('what is not allowed', 403, 'This action is not allowed', blocked('channel', 'forbidden')),
      answer('an instance without the API', 404, 'Not Found', blocked('channel', 'not_found')),
      answer('an instance that is gone', 410, '', { ...blocked('channel', 'gone'), isGone: true }),
      answer('an invalid post', 422, "Validation failed: Text can't be blank", {
        ...failed('rejected', 'article'),
        isFinal: true,
      }),
      answer(
        'a text that is too long',
        422,
        'Validation failed: Text character limit of 500 exceeded',
        failed('too_long', 'article'),
      ),
      answer(
        'a token without a user',
        422,
        'This method requires an authenticated user',
        blocked('account', 'unauthorized'),
      ),
      answer(
        'a picture that is not processed',
        422,
        'Cannot attach files that have not finished processing. Try again in a moment!',
        failed('image_unavailable', 'article'),
      ),
      answer(
        'a picture that is gone',
        422,
        'Media 100 not found or already attached to another post',
        failed('image_unavailable', 'article'),
      ),
      answer('a key that is at work', 409, 'An identical request is still being processed', {
        kind: 'unknown',
      }),
      answer('a request that is too large', 413, '', failed('too_long', 'article')),
      answer('another refusal', 406, '', failed('rejected', 'channel')),
      answer('too many requests', 429, 'Too many requests', throttled(null)),
      answer(
        'too many requests, in ISO 8601',
        429,
        'Too many requests',
        throttled('2026-09-07T10:00:00.000Z'),
        {
          'X-RateLimit-Reset': '2026-09-07T10:00:00.000000Z',
        },
      ),
      answer('too many requests, in seconds of the epoch', 429, '', throttled('2026-09-07T10:00:00.000Z'), {
        'X-RateLimit-Reset': String(Date.parse('2026-09-07T10:00:00Z') / 1_000),
      }),
      answer('too many requests, in seconds', 429, '', throttled('2026-09-07T08:31:01.000Z'), {
        'X-RateLimit-Reset': '60',
      }),
      answer('too many requests, with Retry-After', 429, '', throttled('2026-09-07T08:31:01.000Z'), {
        'Retry-After': '60',
        'X-RateLimit-Reset': '2026-09-07T10:00:00Z',
      }),
      answer('too many requests, until nobody knows', 429, '', throttled(null), {
        'X-RateLimit-Reset': 'soon',
      }),
      answer('an error', 500, 'Internal Server Error', { kind: 'unknown', code: 'server_error' }),
      answer("a proxy's error", 502, '', { kind: 'unknown', code: 'server_error' }),
      answer(
        'a temporary problem',
        503,
        'There was a temporary problem serving your request, please try again',
        {
          kind: 'unknown',
          code: 'unavailable',
        },
      ),
      answer(
        'too much load',
        503,
        'server is under load',
        { ...throttled('2026-09-07T08:30:31.000Z'), code: 'unavailable' },
        {
          'Retry-After': '30',
        },
      ),
      // Varnish and Fastly say so as well when they have passed the post on.
      answer(
        "a proxy's load",
        503,
        {},
        { kind: 'unknown', code: 'unavailable' },
        {
          'Retry-After': '0',
        },
      ),
    ],
  },
};

/** `said`: the API's words, or a body; the words of an error are in a JSON object. */
function answer(
  name: string,
  status: number,
  said: string | object,
  expected: ExpectedOutcome,
  headers: Record<string, string> = {},
) {
  const body = JSON.stringify(typeof said === 'string' ? { error: said } : said);
  return {
    name: `${name} (${status})`,
    behaviour: { kind: 'answer', status, headers, body } as const,
    expected,
  };
}

function failed(code: string, blames: string): ExpectedOutcome {
  return { kind: 'failed', code, blames, isFinal: false };
}

function blocked(scope: string, code: string): ExpectedOutcome {
  return { kind: 'blocked', scope, code, isGone: false };
}

// The suite's clock stands at 08:30:01.
function throttled(until: string | null): ExpectedOutcome {
  return {
    kind: 'throttled',
    scope: 'account',
    code: 'rate_limited',
    until: until === null ? null : new Date(until),
  };
}
