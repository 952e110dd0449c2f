import type { z } from 'zod';
import type { AccountKind } from './AccountKind.ts';
import type { ExchangeMessage } from './exchangeMessage.ts';
import type { PublishOutcome } from './PublishOutcome.ts';
import type { SendRequest } from './sendRequest.ts';

/** What is to go out, as it was approved: the same for every attempt of one publication. */
export type Post = {
  /** Same for every attempt of one publication: idempotency keys, webhook ids and file paths derive from it. */
  postKey: string;
  /** ISO 8601, UTC. Made together with `postKey`. */
  postCreatedAt: string;
  title: string;
  /** The route's template, rendered. */
  text: string;
  /** As the feed gave it; null for an article without a link. */
  url: string | null;
  summary: string | null;
  author: string | null;
  tags: readonly string[];
  imageUrl: string | null;
  /** What the picture shows, in words; null: the feed does not say. */
  imageAlt: string | null;
  /** As the feed says it (`en`, `de-AT`), not checked; null: it does not. */
  language: string | null;
  feed: string;
  /** ISO 8601, UTC. */
  articlePublishedAt: string;
  /**
   * How often the remote side has refused it so far. A platform that remembers a refusal by an idempotency key
   * gets another key then, and only then.
   */
  refusals: number;
};

/**
 * A post as its channel has composed it: stored with the publication before the request, so that a repeat
 * sends exactly this. `composed` is plain JSON; null for a channel that composes nothing.
 */
export type ComposedPost<Composed = unknown> = Post & { composed: Composed };

/** Whom a channel posts as. */
export type AccountAccess<Credentials = unknown, Session = unknown> = {
  /** Parsed by the platform's `AccountKind`. */
  credentials: Credentials;
  /** Open, and not about to expire; null on a platform without sessions. */
  session: Session;
};

/** What every call of a channel gets. No logger, no retry, no clock: those are its caller's. */
type Context<Account> = {
  /** Null: the channel has no account. */
  account: Account;
  /** Makes one guarded request and reports the phase reached. */
  send: SendRequest;
  /** The same for one message on a WebSocket. */
  exchangeMessage: ExchangeMessage;
  signal: AbortSignal;
};

/** While a post is composed nothing public is sent: what is done then may be done again. */
export type ComposeContext<Account = unknown> = Context<Account> & {
  /** When it is composed. */
  composedAt: Date;
  /** Fetches an article's picture: it is one by its own bytes, and no larger than asked for. */
  fetchImage: (url: string, limits: { maxBytes: number }) => Promise<ImageAnswer>;
};

export type ImageAnswer =
  /** `mediaType`: told from its bytes (`image/png`, `image/jpeg`, `image/gif`, `image/webp`, `image/avif`). */
  { kind: 'image'; bytes: Buffer; mediaType: string } | { kind: 'unavailable'; detail: string };

/** `notes`: what was left out or cut, for people. */
export type ComposeAnswer<Composed> = { kind: 'composed'; composed: Composed; notes: readonly string[] };

export type SendContext<Account = unknown> = Context<Account> & {
  /** The instant of the gate: what a platform wants as the attempt's time stamp. */
  sendingAt: Date;
};

/** What a search on the remote side gets: like a send, but it may not change anything there. */
export type LookUpContext<Account = unknown> = Context<Account> & {
  /** When the question is asked. */
  askedAt: Date;
};

/** As `LookUpContext`, for what is there already before a send. */
export type ExistingContext<Account = unknown> = LookUpContext<Account> & {
  /** What was posted before it does not count: a person wished it to go out once more. Null: all counts. */
  notBefore: Date | null;
};

/** Which post is searched for. */
export type Sought<Composed = unknown> = {
  post: ComposedPost<Composed>;
  /** The instant of the gate: what was created more than 2 minutes before it is another's. */
  sendingAt: Date;
};

/**
 * What a search found. `not_found` is a proof, so it takes a complete search: valid credentials, filters
 * off, enough pages read. Everything less is `incomplete`; `refusal`: the remote side said so itself.
 */
export type LookUpAnswer =
  | { kind: 'found'; remoteId: string | null; remoteUrl: string | null }
  | { kind: 'not_found' }
  | { kind: 'incomplete'; detail: string; refusal?: Refusal };

/** Not the article's fault: what it is about, the channel or its account, is held. */
export type Refusal = Extract<PublishOutcome, { kind: 'throttled' | 'blocked' }>;

/** What can end a post before it is sent. */
export type NotComposed = Extract<PublishOutcome, { kind: 'failed' | 'throttled' | 'blocked' | 'not_sent' }>;

/**
 * How a channel can find out about a lost answer (README, "Unknown outcomes").
 * `repeat`: exactly once by nature, so the stored post is sent again. `look_up`: it is searched for on the
 * remote side. `blind`: it is shown to a person.
 */
export type Reconciliation<Composed = unknown, Account = unknown> =
  | { kind: 'repeat' }
  | {
      kind: 'look_up';
      lookUp(sought: Sought<Composed>, context: LookUpContext<Account>): Promise<LookUpAnswer>;
    }
  | { kind: 'blind' };

/** The exact post, for a person to look at. */
export type Preview = {
  /** In the order in which they are read there. */
  parts: readonly PreviewPart[];
  /** What was left out or cut, and what may not be known before it is sent. */
  notes: readonly string[];
};

export type PreviewPart = {
  /** Such as `title`, `text`, `body`. */
  name: string;
  text: string;
  /** As the platform counts it; null: it does not. `unit`: such as `characters`, `graphemes`, `bytes`. */
  count: { length: number; limit: number; unit: string } | null;
};

/** One thing that `headway channels test` has looked at, without posting. */
export type Finding = {
  subject: 'credentials' | 'rights' | 'visibility' | 'limits' | 'settings';
  isOk: boolean;
  detail: string;
};

/**
 * One platform, in one file: settings, limits, check, publish, mapping of answers, in that order.
 * `Settings` are the channel's keys in `config.yaml`, secrets included, parsed; `Composed` is what it makes of
 * a post, as plain JSON; `Account` is an `AccountAccess`, or null.
 */
export type Channel<Settings = unknown, Composed = unknown, Account = unknown> = {
  platform: string;
  /** Whether it can publish only with an active account. */
  needsAccount: boolean;
  /** What an account of this platform is; null: it has none. */
  account: AccountKind | null;
  /** Parses the platform's own keys in `config.yaml`. Unknown keys are errors. */
  settings: z.ZodType<Settings>;
  /** Which of those keys are secrets: sealed at rest, never exported or logged. */
  secretKeys: readonly string[];
  /** Where posts appear: with the platform, what makes the channel unique in its workspace. */
  destination(settings: Settings, account: AccountPlace | null): { instance: string; target: string };
  /** How a lost answer can be found out about, with these settings. */
  reconciliation(settings: Settings): Reconciliation<Composed, Account>;
  /** The exact post without sending it. `account` null: with the platform's own limits. */
  preview(post: Post, settings: Settings, account: Account | null): Preview;
  /** Looks at credentials, rights, visibility and limits without posting. Left out where there is nothing to ask. */
  check?(settings: Settings, context: LookUpContext<Account>): Promise<readonly Finding[]>;
  /**
   * Searches for what is there already, by whomever, before a post is sent: found, it is skipped; without a
   * complete answer the channel is held. Left out where a platform cannot be asked.
   */
  findExisting?(post: Post, settings: Settings, context: ExistingContext<Account>): Promise<LookUpAnswer>;
  /**
   * Makes of a post what is sent: text cut to the limits, the picture uploaded. Before the gate, so that it
   * may take its time and be given back. Left out where the post is sent as it is.
   */
  compose?(
    post: Post,
    settings: Settings,
    context: ComposeContext<Account>,
  ): Promise<ComposeAnswer<Composed> | NotComposed>;
  /** Sends one post. Expected failures are outcomes; it throws only for a fault of ours. */
  publish(
    post: ComposedPost<Composed>,
    settings: Settings,
    context: SendContext<Account>,
  ): Promise<PublishOutcome>;
};

/** Where an account is: what of it can make a channel unique. */
export type AccountPlace = {
  /** As the platform has parsed it; empty where it has none. */
  instance: string;
  username: string | null;
};
