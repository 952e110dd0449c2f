import type { ComposedPost } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { ClaimedRouteArticle } from '../models/claims.ts';
import { timeLimit } from '../timeLimit.ts';
import { askForEarlierSend } from './askForEarlierSend.ts';
import { askForExisting } from './askForExisting.ts';
import { composePost } from './composePost.ts';
import type { Composition, ReadyChannel } from './ReadyChannel.ts';
import { unlessCutOff } from './unlessCutOff.ts';

type Limited = { clock: Clock; signal: AbortSignal; limits: Pick<Limits, 'lookUpsMs' | 'composeMs'> };
type ToSend = Extract<Composition, { kind: 'composed' }> | PublishOutcome;

/**
 * All that may take its time before the gate: whether the post is there already, then the post as its channel
 * sends it, pictures uploaded. Or what ends the try here.
 */
export async function composeToSend(
  channel: ReadyChannel,
  claimed: ClaimedRouteArticle,
  limited: Limited,
): Promise<ToSend> {
  const { clock, signal, limits } = limited;
  const post = composePost(claimed);
  const isAgain = claimed.generation > 1;
  const { lookUpsMs } = limits;
  const existing = await askForExisting(channel, { post, isAgain, clock, signal, lookUpsMs });
  if (existing) return existing;
  const composed = await inTime(limited, within => channel.compose(post, within));
  const { firstRefusedAt } = claimed;
  if (composed.kind !== 'composed' || firstRefusedAt === null) return composed;
  const earlier = { post: composed.post, firstRefusedAt, clock, signal, lookUpsMs };
  return (await askForEarlierSend(channel, earlier)) ?? composed;
}

/** The same for what is sent again: only a session is opened, and the post is the one that it was. */
export async function asItWasSent(
  channel: ReadyChannel,
  post: ComposedPost,
  limited: Limited,
): Promise<ToSend> {
  const refusal = await inTime(limited, within => channel.openSession(within));
  return refusal ?? { kind: 'composed', post, notes: [] };
}

async function inTime<Answer extends { kind: string } | null>(
  { clock, signal, limits: { composeMs } }: Limited,
  ask: (within: { clock: Clock; signal: AbortSignal }) => Promise<Answer>,
): Promise<Answer | typeof tookTooLong> {
  const limit = timeLimit(signal, composeMs);
  const answer = await unlessCutOff(
    ask({ clock, signal: limit }).then(said => ({ said })),
    limit,
  );
  if (answer === null) return tookTooLong;
  const isCutOff = answer.said?.kind === 'not_sent' && !signal.aborted;
  return isCutOff ? tookTooLong : answer.said;
}

const tookTooLong = {
  kind: 'failed',
  code: 'response_timeout',
  detail: 'what its platform is asked before a post took too long',
  isFinal: false,
  blames: 'channel',
} as const;
