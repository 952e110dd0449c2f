import type { z } from 'zod';
import type { PublishOutcome } from './PublishOutcome.ts';
import type { SendRequest } from './sendRequest.ts';

/** What is to go out, composed once and stored with the publication: a repeat sends exactly this. */
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
  feed: string;
  /** ISO 8601, UTC. */
  articlePublishedAt: string;
};

/** What a channel gets beside the post. No logger, no retry, no clock: those are its caller's. */
export type SendContext = {
  /** The instant of the gate: what a platform wants as the attempt's time stamp. */
  sendingAt: Date;
  /** Makes one guarded request within the publication's deadlines and reports the phase reached. */
  send: SendRequest;
  signal: AbortSignal;
};

/** What a search on the remote side gets: like a send, but it may not change anything there. */
export type LookUpContext = {
  /** When the question is asked. */
  askedAt: Date;
  send: SendRequest;
  signal: AbortSignal;
};

/** Which post is searched for. */
export type Sought = {
  post: Post;
  /** The instant of the gate: what was created more than 2 minutes before it is another's. */
  sendingAt: Date;
};

/**
 * What a search found. `not_found` is a proof, so it takes a complete search: valid credentials, filters
 * off, enough pages read. Everything less is `incomplete`.
 */
export type LookUpAnswer =
  | { kind: 'found'; remoteId: string | null; remoteUrl: string | null }
  | { kind: 'not_found' }
  | { kind: 'incomplete'; detail: string };

/**
 * How a channel can find out about a lost answer (README, "Unknown outcomes").
 * `repeat`: exactly once by nature, so the stored post is sent again. `look_up`: it is searched for on the
 * remote side. `blind`: it is shown to a person.
 */
export type Reconciliation =
  | { kind: 'repeat' }
  | { kind: 'look_up'; lookUp(sought: Sought, context: LookUpContext): Promise<LookUpAnswer> }
  | { kind: 'blind' };

/**
 * One platform, in one file: settings, limits, check, publish, mapping of answers, in that order.
 * `Settings` are the channel's keys in `config.yaml`, secrets included, parsed.
 */
export type Channel<Settings = unknown> = {
  platform: string;
  /** Whether it can publish only with an active account. */
  needsAccount: boolean;
  /** Parses the platform's own keys in `config.yaml`. Unknown keys are errors. */
  settings: z.ZodType<Settings>;
  /** Which of those keys are secrets: sealed at rest, never exported or logged. */
  secretKeys: readonly string[];
  /** Where posts appear: with the platform, what makes the channel unique in its workspace. */
  destination(settings: Settings): { instance: string; target: string };
  /** How a lost answer can be found out about, with these settings. */
  reconciliation(settings: Settings): Reconciliation;
  /**
   * Searches for what is there already, by whomever, before a post is sent: found, it is skipped; without a
   * complete answer the channel is held. Left out where a platform cannot be asked.
   */
  findExisting?(post: Post, settings: Settings, context: LookUpContext): Promise<LookUpAnswer>;
  /** Sends one post. Expected failures are outcomes; it throws only for a fault of ours. */
  publish(post: Post, settings: Settings, context: SendContext): Promise<PublishOutcome>;
};
