import type { ComposedPost } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import { timeLimit } from '../timeLimit.ts';
import { outcomeOfSearch, tookTooLong } from './askForExisting.ts';
import type { ReadyChannel } from './ReadyChannel.ts';
import { unlessCutOff } from './unlessCutOff.ts';

export type EarlierSend = {
  post: ComposedPost;
  /** When the remote side refused it first. */
  firstRefusedAt: Date;
  clock: Clock;
  signal: AbortSignal;
  lookUpsMs: number;
};

// A refusal is read up to 45 s after its request.
const answerMs = 60_000;

/**
 * A refusal may be another's than the platform's: a firewall in front of it can refuse what it has let through.
 * Before such a post is sent again it is looked for where that can be done, whatever `duplicates` says: twice is
 * worse than late. Null: it may be sent.
 */
export async function askForEarlierSend(
  channel: ReadyChannel,
  { post, firstRefusedAt, clock, signal, lookUpsMs }: EarlierSend,
): Promise<PublishOutcome | null> {
  if (channel.reconciliation !== 'look_up') return null;
  const limit = timeLimit(signal, lookUpsMs);
  const sendingAt = new Date(firstRefusedAt.getTime() - answerMs);
  const search = channel.lookUp({ post, sendingAt }, { clock, signal: limit });
  return outcomeOfSearch((await unlessCutOff(search, limit)) ?? tookTooLong);
}
