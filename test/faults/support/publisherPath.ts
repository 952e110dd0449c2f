import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { systemClock } from '../../../src/clock.ts';

/** What a path of the fake publisher does with a post that it has read. `accept…` remembers it first. */
export type PublisherBehaviour =
  | { kind: 'accept' }
  /** Resets the connection instead of answering. */
  | { kind: 'accept_then_drop' }
  /** Answers when released. */
  | { kind: 'accept_then_hold' }
  /** Accepts and answers when released, whether somebody still listens or not. */
  | { kind: 'hold_before_accept' }
  /** Accepts and answers after so long, whether somebody still listens or not. */
  | { kind: 'accept_late'; delayMs: number }
  /** Accepts at once and answers after so long. */
  | { kind: 'answer_late'; delayMs: number }
  /** Accepts, then answers with what is no HTTP. */
  | { kind: 'answer_garbage' }
  /** Accepts nothing, and answers so. */
  | { kind: 'answer'; status: number; headers?: OutgoingHttpHeaders; body?: string }
  /** Accepts nothing, and resets the connection. */
  | { kind: 'refuse' };

export type StatusBehaviour = 'answer' | 'fail' | 'hold';

/** A post that arrived, as Headway's webhook channel sends it. */
export type ReceivedPost = {
  webhookId: string;
  /** The `id` in the body. */
  postKey: string;
  title: string;
  url: string | null;
  /** Byte for byte. */
  body: string;
  receivedAt: Date;
};

/** `isRepeat`: its id was known on a path that drops what it knows. */
export type AcceptedPost = ReceivedPost & { path: string; isRepeat: boolean };

type Held = { release(): void; drop(): void };

/** One path of the publisher: what it does, and what came of it. */
export type PublisherPath = {
  behaviour: PublisherBehaviour;
  /** For the next posts, one each. */
  readonly next: PublisherBehaviour[];
  readonly byTitle: Map<string, PublisherBehaviour>;
  dedupes: boolean;
  status: StatusBehaviour;
  readonly arrived: ReceivedPost[];
  readonly lookedUp: string[];
  readonly held: Held[];
  accept(post: ReceivedPost): void;
  knows(webhookId: string): boolean;
};

/** Opens a path that accepts into `posts`. */
export function openPath(name: string, posts: AcceptedPost[]): PublisherPath {
  const known = new Set<string>();
  const path: PublisherPath = {
    behaviour: { kind: 'accept' },
    next: [],
    byTitle: new Map(),
    dedupes: true,
    status: 'answer',
    arrived: [],
    lookedUp: [],
    held: [],
    accept(post) {
      posts.push({ ...post, path: name, isRepeat: path.dedupes && path.knows(post.webhookId) });
      known.add(post.webhookId);
    },
    knows: webhookId => known.has(webhookId),
  };
  return path;
}

/** Reads a post as it came; what is none has empty fields. */
export function readPost(headers: IncomingHttpHeaders, body: string): ReceivedPost {
  const { id = '', title = '', url = null } = JSON.parse(body).data ?? {};
  const webhookId = String(headers['webhook-id'] ?? '');
  return { webhookId, postKey: id, title, url, body, receivedAt: systemClock.now() };
}
