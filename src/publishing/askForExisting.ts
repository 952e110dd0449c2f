import type { LookUpAnswer, Post } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import { timeLimit } from '../timeLimit.ts';
import type { ReadyChannel } from './ReadyChannel.ts';
import { unlessCutOff } from './unlessCutOff.ts';

export type ExistingRequest = {
  post: Post;
  /** A person wished it to go out once more: what was there before does not count. */
  isAgain: boolean;
  clock: Clock;
  signal: AbortSignal;
  lookUpsMs: number;
};

/**
 * Asks the remote side, where it can be asked, whether the post is there already: by whomever, or by us in a
 * send that nobody remembers. Null: it may be sent. Without a complete answer nothing is posted blind.
 */
export async function askForExisting(
  channel: ReadyChannel,
  { post, isAgain, clock, signal, lookUpsMs }: ExistingRequest,
): Promise<PublishOutcome | null> {
  if (!channel.canFindExisting) return null;
  const limit = timeLimit(signal, lookUpsMs);
  // To the instant of the wish: what went out a minute before is what is wished once more.
  const notBefore = isAgain ? new Date(post.postCreatedAt) : null;
  const search = channel.findExisting(post, { clock, signal: limit, notBefore });
  return outcomeOfSearch((await unlessCutOff(search, limit)) ?? tookTooLong);
}

/** What a search before a send means for the send. Null: it may be sent. */
export function outcomeOfSearch(answer: LookUpAnswer): PublishOutcome | null {
  switch (answer.kind) {
    case 'found': {
      const detail = answer.remoteUrl ?? 'it is there already';
      return { kind: 'skipped', reason: 'already_there', detail };
    }
    case 'not_found':
      return null;
    case 'incomplete': {
      const { detail, refusal } = answer;
      return refusal ?? { kind: 'blocked', scope: 'channel', code: 'lookup_failed', detail, isGone: false };
    }
    default:
      return answer satisfies never;
  }
}

export const tookTooLong: LookUpAnswer = {
  kind: 'incomplete',
  detail: 'the search for what is there already took too long: a shorter "duplicates" has less to read',
};
