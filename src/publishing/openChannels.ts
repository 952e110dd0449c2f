import { isCapReached, nextLocalDay } from '../calendar/localDay.ts';
import type { ChannelState, Hold } from '../models/schedule.ts';
import type { Workspace } from '../models/workspaces.ts';
import { nextSlot } from './slot.ts';

export type ClosedReason =
  | 'channel_paused'
  | 'no_account'
  | 'channel_held'
  | 'account_held'
  | 'channel_interval'
  | 'channel_daily_cap';

/** Why something is closed, and until when; null: until a person or an event opens it. */
export type Closed<Reason> = { reason: Reason; until: Date | null; detail: string | null };

export type ChannelVerdict = { channel: ChannelState; closed: Closed<ClosedReason> | null };

/**
 * The channel's half of eligibility, written once: the tick passes the ids of the open ones to
 * `dueForPublishing`, the gate asks again, and explanations show the rest. Where several reasons close a
 * channel, the one that lasts longest is named: only its end is worth waiting for.
 *
 * A channel that can find out about an open unknown outcome sends nothing else until it has, or has left it
 * to a person. One without an account is open until its first article found that out and set the hold.
 */
export function openChannels(
  workspace: Scheduled,
  channels: readonly ChannelState[],
  at: Date,
): ChannelVerdict[] {
  return channels.map(channel => ({ channel, closed: longest(closures(workspace, channel, at)) }));
}

type Scheduled = Pick<Workspace, 'id' | 'timezone' | 'tickIntervalMs'>;

function closures(workspace: Scheduled, channel: ChannelState, at: Date) {
  const { timezone } = workspace;
  const closed: Closed<ClosedReason>[] = [];
  if (channel.paused) closed.push({ reason: 'channel_paused', until: null, detail: null });
  closed.push(...accountClosures(channel, at));
  if (channel.hold && channel.hold.reason !== 'no_account' && holds(channel.hold, at)) {
    closed.push({ reason: 'channel_held', until: channel.hold.until, detail: describe(channel.hold) });
  }
  const { lookUpAt } = channel;
  if (lookUpAt) {
    const until = lookUpAt > at ? lookUpAt : nextSlot(at, workspace);
    closed.push({ reason: 'channel_held', until, detail: unknownOpen });
  }
  const freeAt = intervalEnd(channel);
  if (freeAt && freeAt > at) closed.push({ reason: 'channel_interval', until: freeAt, detail: null });
  const { dailyCap, capthCountedAt } = channel;
  if (isCapReached(dailyCap, { capthCountedAt, at, zone: timezone })) {
    const until = dailyCap === 0 ? null : nextLocalDay(at, timezone);
    closed.push({ reason: 'channel_daily_cap', until, detail: `${dailyCap} a day` });
  }
  return closed;
}

const unknownOpen = 'unknown_outcome: whether its last post went out is being found out';

function accountClosures({ account, hold }: ChannelState, at: Date): Closed<ClosedReason>[] {
  if (account?.status === 'needs_attention') {
    const detail = account.hold
      ? `the account needs attention: ${describe(account.hold)}`
      : 'the account needs attention';
    return [{ reason: 'account_held', until: null, detail }];
  }
  const isFoundOut = hold?.reason === 'no_account' && account?.status !== 'active';
  if (isFoundOut) return [{ reason: 'no_account', until: null, detail: hold.detail }];
  if (account?.hold && holds(account.hold, at)) {
    return [{ reason: 'account_held', until: account.hold.until, detail: describe(account.hold) }];
  }
  return [];
}

function holds({ until }: Hold, at: Date): boolean {
  return until === null || until > at;
}

function describe({ reason, detail }: Hold): string {
  return detail ? `${reason}: ${detail}` : reason;
}

function intervalEnd({ lastCountedAt, intervalMs }: ChannelState): Date | null {
  return lastCountedAt && new Date(lastCountedAt.getTime() + intervalMs);
}

/** Of several reasons the one that ends last; null when there is none. The first of equals wins. */
export function longest<Reason>(closed: readonly Closed<Reason>[]): Closed<Reason> | null {
  const end = ({ until }: Closed<Reason>) => until?.getTime() ?? Number.POSITIVE_INFINITY;
  return closed.reduce<Closed<Reason> | null>(
    (last, next) => (last && end(last) >= end(next) ? last : next),
    null,
  );
}
