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

/**
 * How a platform can find out about a lost answer (README, "Unknown outcomes"):
 * `repeat`: exactly once by nature, the stored post is sent again; `look_up`: searched for on the remote
 * side; `blind`: shown to a person.
 */
export type Reconciliation = 'repeat' | 'look_up' | 'blind';

/**
 * One platform, in one file: settings, limits, check, publish, mapping of answers, in that order.
 * `Settings` are the channel's keys in `config.yaml`, secrets included, parsed.
 */
export type Channel<Settings = unknown> = {
  platform: string;
  /** Whether it can publish only with an active account. */
  needsAccount: boolean;
  reconciliation: Reconciliation;
  /** Parses the platform's own keys in `config.yaml`. Unknown keys are errors. */
  settings: z.ZodType<Settings>;
  /** Which of those keys are secrets: sealed at rest, never exported or logged. */
  secretKeys: readonly string[];
  /** Where posts appear: with the platform, what makes the channel unique in its workspace. */
  destination(settings: Settings): { instance: string; target: string };
  /** Sends one post. Expected failures are outcomes; it throws only for a fault of ours. */
  publish(post: Post, settings: Settings, context: SendContext): Promise<PublishOutcome>;
};
