import type { ComposedPost } from '../channels/Channel.ts';
import type { Clock } from '../clock.ts';
import { type Database, type Flight, inOneFlight } from '../database/Database.ts';
import { unlessBrokenOff } from '../database/transact.ts';
import type { Limits } from '../limits.ts';
import { lockForGate } from '../models/channels.ts';
import type { ClaimedRouteArticle } from '../models/claims.ts';
import {
  conflictOf,
  findPublicationState,
  type IntentConflict,
  insertIntent,
  type PublicationState,
  renewIntent,
} from '../models/publications.ts';
import { type ChannelState, loadSchedule, loadScheduleWithout, type Schedule } from '../models/schedule.ts';
import { openChannels } from './openChannels.ts';
import type { TickReason } from './tickResult.ts';
import { workspaceStops } from './tickStop.ts';

export type GateRequest = {
  claimed: ClaimedRouteArticle;
  post: ComposedPost;
  /** The publication that is sent again; null: a new one is written. */
  repeatOf: number | null;
  at: Date;
  /** Null: a person's publish-now, which passes over slot, windows and interval. */
  slotAt: Date | null;
  clock: Clock;
  limits: Pick<Limits, 'sendByMs' | 'driftMs'>;
};

export type GateVerdict =
  | { kind: 'passed'; publicationId: number; sendingAt: Date; sendBy: Date }
  /** Nothing may go out in this workspace now: the tick ends. */
  | { kind: 'workspace_closed'; reason: TickReason; detail: string }
  /** Nothing may go out in this channel now; in others it may. */
  | { kind: 'channel_closed'; detail: string }
  /** This row may not go out as it was claimed; others may. */
  | { kind: 'refused'; detail: string }
  | { kind: 'duplicate'; state: PublicationState };

/**
 * The only way out. One durable transaction under the locks of workspace and channel asks the tick's own
 * rules again and writes the intent before the request: for a public post, twice is worse than late.
 */
export async function passGate(db: Database, request: GateRequest): Promise<GateVerdict> {
  try {
    return await unlessBrokenOff(() =>
      inOneFlight(db, (flight, commit) => askAndInsert(flight, commit, request)),
    );
  } catch (error) {
    const conflict = conflictOf(error);
    if (!conflict) throw error;
    return explainConflict(db, conflict, request);
  }
}

async function askAndInsert(
  flight: Flight,
  commit: () => Promise<void>,
  request: GateRequest,
): Promise<GateVerdict> {
  const { claimed, at, slotAt, clock, limits, repeatOf } = request;
  const { workspaceId, channelId } = claimed;
  // Read behind the locks: what they waited for is in it.
  const locked = lockForGate(flight, workspaceId, channelId);
  const loaded =
    repeatOf === null
      ? loadSchedule(flight, workspaceId, channelId)
      : loadForRepeat(flight, { workspaceId, channelId, publicationId: repeatOf });
  const [schedule] = await Promise.all([loaded, locked]);
  const sendingAt = clock.now();
  const objection = isAdrift(sendingAt, at, limits.driftMs) ?? objectionTo(schedule, { at, slotAt });
  if (objection) return objection;

  const sendBy = new Date(sendingAt.getTime() + limits.sendByMs);
  const publicationId = await writeIntent(flight, commit, request, { sendingAt, sendBy });
  if (publicationId === null) return { kind: 'refused', detail: 'it was changed since it was claimed' };
  return { kind: 'passed', publicationId, sendingAt, sendBy };
}

/** Null: the row, or the publication that was to be sent again, is no longer as it was; nothing is kept. */
async function writeIntent(
  flight: Flight,
  commit: () => Promise<void>,
  { claimed, post, at: countedAt, slotAt, repeatOf }: GateRequest,
  { sendingAt, sendBy }: { sendingAt: Date; sendBy: Date },
): Promise<number | null> {
  const { id: routeArticleId, claimToken, textHash } = claimed;
  const intent = { routeArticleId, claimToken, textHash, slotAt, sendingAt, sendBy };
  if (repeatOf === null) {
    const inserted = insertIntent(flight, { ...intent, countedAt, post });
    const [publicationId] = await Promise.all([inserted, commit()]);
    return publicationId;
  }
  if (!(await renewIntent(flight, { ...intent, publicationId: repeatOf }))) return null;
  await commit();
  return repeatOf;
}

/** A repeat is stopped by everything but what it repeats: not by that publication, its being open,
 * or the hold that it set. */
export async function loadForRepeat(
  db: Database | Flight,
  repeated: { workspaceId: number; channelId: number; publicationId: number },
): Promise<Schedule | null> {
  const schedule = await loadScheduleWithout(db, repeated);
  return schedule && { ...schedule, channels: schedule.channels.map(withoutUnknown) };
}

function withoutUnknown(channel: ChannelState): ChannelState {
  const hold = channel.hold?.reason === 'unknown_outcome' ? null : channel.hold;
  return { ...channel, hold, lookUpAt: null };
}

// A process that slept must not act on what it saw before.
function isAdrift(now: Date, at: Date, driftMs: number): GateVerdict | null {
  if (Math.abs(now.getTime() - at.getTime()) <= driftMs) return null;
  return closed('all_blocked', `the clock reads ${now.toISOString()}, too far from the tick's instant`);
}

export type GateObjection = Extract<GateVerdict, { kind: 'workspace_closed' | 'channel_closed' }>;

/** What the tick's own rules have against a send at `at`, in the one channel that the schedule has. */
export function objectionTo(
  schedule: Schedule | null,
  { at, slotAt }: Pick<GateRequest, 'at' | 'slotAt'>,
): GateObjection | null {
  if (!schedule) return closed('paused', 'the workspace is gone');
  const isByPerson = slotAt === null;
  const stop = workspaceStops(schedule, at).find(
    ({ reason }) => !isByPerson || reason === 'paused' || reason === 'daily_cap',
  );
  if (stop) return closed(stop.reason, stop.detail ?? stop.reason);

  const { channels } = schedule;
  const asked = isByPerson ? channels.map(channel => ({ ...channel, lastCountedAt: null })) : channels;
  const [verdict] = openChannels(schedule.workspace, asked, at);
  if (!verdict) return { kind: 'channel_closed', detail: 'its channel is gone' };
  return verdict.closed && { kind: 'channel_closed', detail: verdict.closed.detail ?? verdict.closed.reason };
}

async function explainConflict(
  db: Database,
  conflict: IntentConflict,
  { claimed }: GateRequest,
): Promise<GateVerdict> {
  switch (conflict) {
    case 'in_flight':
      return closed('busy', 'another publication of this workspace is in flight');
    case 'slot':
      return closed('slot_used', 'another publication has this slot');
    case 'url_key': {
      const state = await findPublicationState(db, claimed);
      // Gone again between the two: whoever held the key just settled, so the next tick can have it.
      return state ? { kind: 'duplicate', state } : { kind: 'refused', detail: 'its link was in flight' };
    }
    default:
      return conflict satisfies never;
  }
}

function closed(reason: TickReason, detail: string): GateObjection {
  return { kind: 'workspace_closed', reason, detail };
}
