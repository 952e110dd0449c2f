import { type Clock, standingClock } from '../../src/clock.ts';
import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, type ProtocolFake } from '../support/protocolFake.ts';
import { LemmyServer, type Reply } from './lemmy/server.ts';
import { answerShim, answerV3 } from './lemmy/v3.ts';
import { answerV4 } from './lemmy/v4.ts';
import { LemmyWorld } from './lemmy/world.ts';

export type LemmyFakeOptions = {
  /** Default `0.19`. */
  version?: '0.19' | '1.0';
  /** Default: stands a second after `examplePost` was made. */
  clock?: Clock;
};

export type LemmyFake = ProtocolFake & {
  world: LemmyWorld;
  server: LemmyServer;
  /** From now on it is the other version. */
  becomes(version: '0.19' | '1.0'): void;
};

const path = /^\/api\/(v3|v4)(\/[^?]*)(?:\?(.*))?$/;

/**
 * A Lemmy instance with two people and two communities, as far as a publisher needs it. Made after the source of
 * 0.19.20 and of 1.0 in August 2026 (https://github.com/LemmyNet/lemmy), its lies included.
 */
export function createLemmyFake(options: LemmyFakeOptions = {}): LemmyFake {
  const { clock = standingClock(new Date('2026-09-07T08:30:01.000Z')) } = options;
  let { version = '0.19' } = options;
  const world = new LemmyWorld(clock);
  const server = new LemmyServer(world);

  function reply(request: ReceivedRequest): Reply {
    const [, api, route = '', query = ''] = path.exec(request.path) ?? [];
    const call = {
      route: `${request.method} ${route}`,
      query: new URLSearchParams(query),
      form: formIn(request),
      request,
      viewer: server.viewer(request),
    };
    if (version === '0.19') return api === 'v3' ? answerV3(server, call) : { status: 404, body: '' };
    return api === 'v4' ? answerV4(server, call) : answerShim(server, call);
  }

  return {
    world,
    server,
    becomes(other) {
      version = other;
    },
    answer(request): Behaviour {
      const { status, body, headers = {} } = reply(request);
      return body === '' ? { kind: 'answer', status, headers } : jsonAnswer(status, body, headers);
    },
    isPost: ({ method, path }) => method === 'POST' && /^\/api\/v[34]\/post$/.test(path),
    posts: () => world.posts.map(({ id }) => String(id)),
  };
}

function formIn({ method, body }: ReceivedRequest): Record<string, unknown> {
  return method === 'GET' || body === '' ? {} : Object(JSON.parse(body));
}
