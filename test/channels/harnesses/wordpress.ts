import { wordpress } from '../../../src/channels/wordpress.ts';
import { firewall, maintenance } from '../../fakes/wordpress/answers.ts';
import { wordpressPasswords } from '../../fakes/wordpress/users.ts';
import { fakeWordPress } from '../../fakes/wordpress.ts';
import type { Behaviour } from '../../support/fakeReceiver.ts';
import { jsonAnswer, openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome, OpenDestination } from '../describeChannel.ts';

const username = 'editor';
const appPassword = wordpressPasswords.editor;
const accountAt = (baseUrl: string) => ({ instance: baseUrl, username, appPassword });

const refused: ExpectedOutcome = { kind: 'failed', code: 'rejected', blames: 'article', isFinal: true };
const throttled: ExpectedOutcome = { kind: 'throttled', scope: 'account', code: 'rate_limited' };
const sites = new Map<string, ReturnType<typeof fakeWordPress>>();

export const wordpressHarness: ChannelHarness = {
  channel: wordpress,
  reconciliation: 'look_up',
  secrets: [appPassword, Buffer.from(`${username}:${appPassword}`).toString('base64')],
  async open() {
    const fake = fakeWordPress();
    const opened = await openProtocolFake(fake);
    sites.set(opened.url, fake);
    return {
      settings: { categories: ['News'] },
      account: accountAt(opened.url),
      posts: async () => fake.posts(),
      close: opened.close,
    };
  },
  refusals: [
    {
      name: 'a revoked password as an account that is gone',
      async arrange(destination) {
        siteOf(destination).revoke(username);
        return async () => undefined;
      },
      expected: { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true },
    },
    {
      name: 'a category that does not exist as a blocked channel',
      async arrange(destination) {
        siteOf(destination).categories.pop();
        return async () => undefined;
      },
      expected: { kind: 'blocked', scope: 'channel', code: 'not_found', isGone: false },
    },
  ],
  network: {
    settingsAt: () => ({}),
    accountAt,
    fake: fakeWordPress,
    answers: [
      answer('401 rest_cannot_create', rest(401, 'rest_cannot_create'), blocked('account', 'unauthorized')),
      answer('403 rest_cannot_publish', rest(403, 'rest_cannot_publish'), blocked('channel', 'forbidden')),
      answer('404 rest_no_route', rest(404, 'rest_no_route'), blocked('channel', 'not_found')),
      answer('400 rest_invalid_param', rest(400, 'rest_invalid_param'), refused),
      answer('400 empty_content', rest(400, 'empty_content'), refused),
      answer('500 of a plugin', rest(500, 'internal_server_error'), unknown('server_error')),
      answer('500 of the database', rest(500, 'db_insert_error'), unknown('server_error')),
      answer('502 of a proxy', firewall(502), unknown('server_error')),
      answer('503 of maintenance', maintenance(), {
        kind: 'throttled',
        scope: 'account',
        code: 'unavailable',
        // The suite's clock stands at 08:30:01.
        until: new Date('2026-09-07T08:40:01.000Z'),
      }),
      answer('503 of a proxy', firewall(503, { 'Retry-After': '5' }), unknown('unavailable')),
      answer('403 of a firewall', firewall(403), failed('forbidden')),
      answer('406 of a firewall', firewall(406), failed('rejected')),
      answer('400 of a firewall', firewall(400), failed('rejected')),
      answer('429 of a firewall', firewall(429), { ...throttled, until: null }),
      answer('429 with a time', firewall(429, { 'Retry-After': '60' }), {
        ...throttled,
        until: new Date('2026-09-07T08:31:01.000Z'),
      }),
      answer('413', firewall(413), { ...failed('too_long'), blames: 'article', isFinal: true }),
      answer('408 of a proxy', firewall(408), unknown('server_error')),
      // What a plugin does by default with whoever has saved a post.
      answer('302', firewall(302, { Location: '/there' }), unknown('unreadable_answer')),
      answer('303', firewall(303, { Location: '/there' }), unknown('unreadable_answer')),
      answer('301', firewall(301, { Location: 'https://www.site.test/' }), failed('rejected')),
      answer('200 without JSON', firewall(200), unknown('unreadable_answer')),
      answer('201 without an id', jsonAnswer(201, {}), unknown('unreadable_answer')),
      answer('201 with an empty body', { kind: 'answer', status: 201 }, unknown('unreadable_answer')),
    ],
  },
};

function siteOf({ account }: OpenDestination) {
  const site = sites.get(Object(account).instance);
  if (site === undefined) throw new Error('no such site');
  return site;
}

function answer(name: string, behaviour: Behaviour, expected: ExpectedOutcome) {
  return { name: `${name} as ${expected.kind}`, behaviour, expected };
}

function rest(status: number, code: string): Behaviour {
  return jsonAnswer(status, { code, message: 'its words', data: { status } });
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
