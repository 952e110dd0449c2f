import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import type {
  AcceptedPost,
  PublisherBehaviour,
  PublisherPath,
  ReceivedPost,
  StatusBehaviour,
} from './publisherPath.ts';
import { openPath, readPost } from './publisherPath.ts';
import { signalLimitMs } from './realTime.ts';

/** A remote side that many channels post to, one path each: it remembers everything that it accepted. */
export type FakePublisher = {
  readonly url: string;
  /** Everything accepted so far, on all paths, in its order; repeats of a known id included. */
  readonly posts: readonly AcceptedPost[];
  /** How a path deals with posts from now on, or with those of one title alone. Default: accepts. */
  behave(path: string, behaviour: PublisherBehaviour, title?: string): void;
  /** How a path deals with its next post alone, before all others. */
  behaveOnce(path: string, behaviour: PublisherBehaviour): void;
  /** False: it does not know ids, and accepts a repeat as a new post. Default true, as Standard Webhooks. */
  setDedupes(path: string, dedupes: boolean): void;
  /** How `GET /<path>/status/<webhook-id>` answers. Default: truly. */
  behaveStatus(path: string, behaviour: StatusBehaviour): void;
  /** Resolves with what a path accepted, repeats not counted, once that is `count` posts. */
  accepted(path: string, count: number): Promise<readonly AcceptedPost[]>;
  /** Resolves with the posts that arrived at a path, accepted or not, once there are `count` of them. */
  arrived(path: string, count: number): Promise<readonly ReceivedPost[]>;
  /** Resolves with the ids that were asked for, once there are `count` of them. */
  lookedUp(path: string, count: number): Promise<readonly string[]>;
  /** Lets go of what is on hold: accepts what was not yet accepted, and answers. */
  release(path: string): void;
  /** Resets what is on hold; what was not accepted never will be. */
  dropHeld(path: string): void;
  close(): Promise<void>;
};

/** How the publisher deals with a post when nothing else was said of it; null: as its path does. */
export type ChooseBehaviour = (path: string, post: ReceivedPost) => PublisherBehaviour | null;

/** Opens it. `choose` decides for each post that arrives, unless `behaveOnce` or its title's behaviour does. */
export async function openFakePublisher({
  choose = () => null,
}: {
  choose?: ChooseBehaviour;
} = {}): Promise<FakePublisher> {
  const paths = new Map<string, PublisherPath>();
  const posts: AcceptedPost[] = [];
  const pathOf = (name: string) => {
    const path = paths.get(name) ?? openPath(name, posts);
    paths.set(name, path);
    return path;
  };

  const server = createServer((request, response) => {
    response.on('error', () => {});
    serve(request, response, { pathOf, choose }).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  const grown = async <Entry>(entries: () => readonly Entry[], count: number, what: string) => {
    await until(() => entries().length >= count, { timeoutMs: signalLimitMs, intervalMs: 5 }).catch(cause => {
      throw new Error(`${what} ${entries().length} instead of ${count} times`, { cause });
    });
    return entries();
  };

  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    behave(path, behaviour, title) {
      const { byTitle } = pathOf(path);
      if (title === undefined) pathOf(path).behaviour = behaviour;
      else byTitle.set(title, behaviour);
    },
    behaveOnce(path, behaviour) {
      pathOf(path).next.push(behaviour);
    },
    setDedupes(path, dedupes) {
      pathOf(path).dedupes = dedupes;
    },
    behaveStatus(path, behaviour) {
      pathOf(path).status = behaviour;
    },
    accepted(path, count) {
      const accepted = () => posts.filter(post => post.path === path && !post.isRepeat);
      return grown(accepted, count, `/${path} accepted`);
    },
    arrived: (path, count) => grown(() => pathOf(path).arrived, count, `/${path} was posted to`),
    lookedUp: (path, count) => grown(() => pathOf(path).lookedUp, count, `/${path} was looked up`),
    release(path) {
      const { held } = pathOf(path);
      for (const { release } of held.splice(0)) release();
    },
    dropHeld(path) {
      const { held } = pathOf(path);
      for (const { drop } of held.splice(0)) drop();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { pathOf, choose }: { pathOf: (name: string) => PublisherPath; choose: ChooseBehaviour },
): Promise<void> {
  const [, name = '', resource, id = ''] = (request.url ?? '').split('/');
  const path = pathOf(name);
  if (request.method === 'GET' && resource === 'status') return tellStatus(path, id, response);
  const post = readPost(request.headers, await text(request));
  path.arrived.push(post);
  const told = path.next.shift() ?? path.byTitle.get(post.title);
  await deal(path, post, told ?? choose(name, post) ?? path.behaviour, response);
}

async function deal(
  path: PublisherPath,
  post: ReceivedPost,
  behaviour: PublisherBehaviour,
  response: ServerResponse,
): Promise<void> {
  switch (behaviour.kind) {
    case 'accept':
      path.accept(post);
      return void response.end();
    case 'accept_then_drop':
      path.accept(post);
      return reset(response);
    case 'accept_then_hold':
      path.accept(post);
      return void path.held.push({ release: () => response.end(), drop: () => reset(response) });
    case 'hold_before_accept': {
      const release = () => {
        path.accept(post);
        response.end();
      };
      return void path.held.push({ release, drop: () => reset(response) });
    }
    case 'accept_late':
      await sleep(behaviour.delayMs, undefined, { ref: false });
      path.accept(post);
      return void response.end();
    case 'answer_late':
      path.accept(post);
      await sleep(behaviour.delayMs, undefined, { ref: false });
      return void response.end();
    case 'answer_garbage':
      path.accept(post);
      return void response.socket?.end('\u0000\u0001 this is not HTTP\r\n\r\n');
    case 'answer':
      return void response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
    case 'refuse':
      return reset(response);
    default:
      behaviour satisfies never;
  }
}

function tellStatus(path: PublisherPath, id: string, response: ServerResponse): void {
  path.lookedUp.push(id);
  const answer = () => {
    const isFound = path.knows(id);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(isFound ? { found: true, url: `https://publisher.example/${id}` } : { found: false }),
    );
  };
  switch (path.status) {
    case 'answer':
      answer();
      return;
    case 'fail':
      return void response.writeHead(500).end();
    case 'hold':
      return void path.held.push({ release: answer, drop: () => reset(response) });
    default:
      path.status satisfies never;
  }
}

function reset({ socket }: ServerResponse): void {
  socket?.resetAndDestroy();
}
