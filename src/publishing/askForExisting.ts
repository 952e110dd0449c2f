import type { Post } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import type { Ready } from './ArticlePublishingService.ts';

/**
 * Asks the remote side, where it can be asked, whether the post is there already: by whomever, or by us in a
 * send that nobody remembers. Null: it may be sent. Without a complete answer nothing is posted blind.
 */
export async function askForExisting(
  { findExisting }: Ready,
  post: Post,
  { clock, signal, lookUpsMs }: { clock: Clock; signal: AbortSignal; lookUpsMs: number },
): Promise<PublishOutcome | null> {
  if (!findExisting) return null;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(lookUpsMs)]);
  const answer = await findExisting(post, { clock, signal: limit });
  switch (answer.kind) {
    case 'found': {
      const detail = answer.remoteUrl ?? 'it is there already';
      return { kind: 'skipped', reason: 'already_there', detail };
    }
    case 'not_found':
      return null;
    case 'incomplete': {
      const { detail } = answer;
      return { kind: 'blocked', scope: 'channel', code: 'lookup_failed', detail, isGone: false };
    }
    default:
      return answer satisfies never;
  }
}
