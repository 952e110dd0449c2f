import type { Post } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import type { ReadyChannel } from './ReadyChannel.ts';

export type ExistingRequest = {
  post: Post;
  /** A person wished it to go out once more: what was there before does not count. */
  isAgain: boolean;
  clock: Clock;
  signal: AbortSignal;
  lookUpsMs: number;
};

// Clocks differ.
const skewMs = 2 * 60_000;

/**
 * Asks the remote side, where it can be asked, whether the post is there already: by whomever, or by us in a
 * send that nobody remembers. Null: it may be sent. Without a complete answer nothing is posted blind.
 */
export async function askForExisting(
  channel: ReadyChannel,
  { post, isAgain, clock, signal, lookUpsMs }: ExistingRequest,
): Promise<PublishOutcome | null> {
  if (!channel.canFindExisting) return null;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(lookUpsMs)]);
  const notBefore = isAgain ? new Date(new Date(post.postCreatedAt).getTime() - skewMs) : null;
  const answer = await channel.findExisting(post, { clock, signal: limit, notBefore });
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
