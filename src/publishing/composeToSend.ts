import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { ClaimedRouteArticle } from '../models/claims.ts';
import { askForExisting } from './askForExisting.ts';
import { composePost } from './composePost.ts';
import type { Composition, ReadyChannel } from './ReadyChannel.ts';

type Limited = { clock: Clock; signal: AbortSignal; limits: Pick<Limits, 'lookUpsMs' | 'composeMs'> };

/**
 * All that may take its time before the gate: whether the post is there already, then the post as its channel
 * sends it, pictures uploaded. Or what ends the try here.
 */
export async function composeToSend(
  channel: ReadyChannel,
  claimed: ClaimedRouteArticle,
  { clock, signal, limits: { lookUpsMs, composeMs } }: Limited,
): Promise<Extract<Composition, { kind: 'composed' }> | PublishOutcome> {
  const post = composePost(claimed);
  const isAgain = claimed.generation > 1;
  const existing = await askForExisting(channel, { post, isAgain, clock, signal, lookUpsMs });
  if (existing) return existing;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(composeMs)]);
  const composition = await channel.compose(post, { clock, signal: limit });
  const isCutOff = composition.kind === 'not_sent' && !signal.aborted;
  return isCutOff ? tookTooLong : composition;
}

const tookTooLong: PublishOutcome = {
  kind: 'failed',
  code: 'response_timeout',
  detail: 'what its platform is asked before a post took too long',
  isFinal: false,
  blames: 'channel',
};
