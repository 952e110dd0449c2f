import { expect } from 'vitest';
import { ghost } from '../../../src/channels/ghost.ts';
import { error, maintenancePage } from '../../fakes/ghost/answers.ts';
import { ghostAdminKey } from '../../fakes/ghost/token.ts';
import { fakeGhost } from '../../fakes/ghost.ts';
import type { Behaviour } from '../../support/fakeReceiver.ts';
import { jsonAnswer, openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome } from '../describeChannel.ts';

const accountAt = (baseUrl: string) => ({ instance: baseUrl, adminKey: ghostAdminKey });
const refused: ExpectedOutcome = { kind: 'failed', code: 'rejected', blames: 'article', isFinal: true };
const throttled: ExpectedOutcome = { kind: 'throttled', scope: 'account', code: 'rate_limited' };
const unauthorized: ExpectedOutcome = blocked('account', 'unauthorized');
const gone: ExpectedOutcome = { ...unauthorized, isGone: true };
const removals = new Map<unknown, () => void>();

export const ghostHarness: ChannelHarness = {
  channel: ghost,
  reconciliation: 'look_up',
  secrets: [ghostAdminKey, ghostAdminKey.split(':')[1] ?? ''],
  async open() {
    const fake = fakeGhost();
    const opened = await openProtocolFake(fake);
    const account = accountAt(opened.url);
    removals.set(account, fake.removeKey);
    return { settings: {}, account, posts: async () => fake.posts(), close: opened.close };
  },
  refusals: [
    {
      name: 'a key whose integration was removed as an account that is gone',
      async arrange({ account }) {
        removals.get(account)?.();
        return async () => undefined;
      },
      expected: { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true },
    },
  ],
  network: {
    settingsAt: () => ({}),
    accountAt,
    fake: fakeGhost,
    answers: [
      said('UNKNOWN_ADMIN_API_KEY', token('Unknown Admin API Key', 'UNKNOWN_ADMIN_API_KEY'), gone),
      said('a wrong secret', token('Invalid token: invalid signature', 'INVALID_JWT'), gone),
      said('a token of a slow clock', token('Invalid token: jwt expired', 'INVALID_JWT'), {
        ...unauthorized,
        detail: expect.stringContaining('check the clock'),
      }),
      said('an old token', token('Invalid token: maxAge exceeded', 'INVALID_JWT'), unauthorized),
      said('401 of a proxy', page(401), unauthorized),
      said('403 NoPermissionError', error(403, 'NoPermissionError', 'No'), blocked('channel', 'forbidden')),
      said('403 HostLimitError', error(403, 'HostLimitError', 'No'), blocked('account', 'forbidden')),
      said('403 of a firewall', page(403), failed('forbidden')),
      said('404 NotFoundError', error(404, 'NotFoundError', 'No'), blocked('channel', 'not_found')),
      said('422 ValidationError', error(422, 'ValidationError', 'No', 'title'), refused),
      said('400 BadRequestError', error(400, 'BadRequestError', 'No'), { ...refused, isFinal: false }),
      said('413 of a proxy', page(413), { ...refused, code: 'too_long' }),
      said('406', error(406, 'RequestNotAcceptableError', 'No'), failed('rejected')),
      said('408 of a proxy', page(408), unknown('server_error')),
      said('303', page(303, { Location: '/there' }), unknown('unreadable_answer')),
      said('301', page(301, { Location: 'https://admin.site.test/' }), failed('rejected')),
      said('429', error(429, 'TooManyRequestsError', 'No'), { ...throttled, until: null }),
      // The suite's clock stands at 08:30:01.
      said('429 with a time', page(429, { 'Retry-After': '60' }), {
        ...throttled,
        until: new Date('2026-09-07T08:31:01.000Z'),
      }),
      said('503 of a start', maintenancePage(), { ...throttled, code: 'unavailable', until: null }),
      said('503 MaintenanceError', error(503, 'MaintenanceError', 'No'), {
        ...throttled,
        code: 'unavailable',
      }),
      said('503 of a proxy', page(503, { 'Retry-After': '5' }), unknown('unavailable')),
      said('500', error(500, 'InternalServerError', 'No'), unknown('server_error')),
      said('502 of a proxy', page(502), unknown('server_error')),
      said('501', error(501, 'NotImplementedError', 'No'), blocked('channel', 'forbidden')),
      said('200 without JSON', page(200), unknown('unreadable_answer')),
      said('201 without a post', jsonAnswer(201, { posts: [] }), unknown('unreadable_answer')),
    ],
  },
};

function said(name: string, behaviour: Behaviour, expected: ExpectedOutcome) {
  return { name: `${name} as ${expected.kind}`, behaviour, expected };
}

function token(message: string, code: string): Behaviour {
  return error(401, 'UnauthorizedError', message, null, code);
}

function page(status: number, headers: Record<string, string> = {}): Behaviour {
  const html = { 'Content-Type': 'text/html', ...headers };
  return { kind: 'answer', status, headers: html, body: '<html><body>its words</body></html>' };
}

function failed(code: string): ExpectedOutcome {
  return { kind: 'failed', code, blames: 'channel', isFinal: false };
}

function blocked(scope: string, code: string): ExpectedOutcome {
  return { kind: 'blocked', scope, code, isGone: false };
}

function unknown(code: string): ExpectedOutcome {
  return { kind: 'unknown', code };
}
