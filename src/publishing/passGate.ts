import type { Post } from '../channels/Channel.ts';
import type { Clock } from '../clock.ts';
import { type Database, type Flight, inOneFlight } from '../database/Database.ts';
import { lockForGate } from '../models/channels.ts';
import type { ClaimedRouteArticle } from '../models/claims.ts';
import {
  conflictOf,
  findPublicationState,
  type IntentConflict,
  insertIntent,
  type PublicationState,
} from '../models/publications.ts';
import { loadSchedule, type Schedule } from '../models/schedule.ts';
import { openChannels } from './openChannels.ts';
import type { TickReason } from './tickResult.ts';
import { workspaceStops } from './tickStop.ts';

const sendWithinMs = 10_000;
const longestDriftMs = 120_000;

export type GateRequest = {
  claimed: ClaimedRouteArticle;
  post: Post;
  at: Date;
  /** Null: a person's publish-now, which passes over slot, windows and interval. */
  slotAt: Date | null;
  clock: Clock;
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
    return await inOneFlight(db, (flight, commit) => askAndInsert(flight, commit, request));
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
  const { claimed, post, at, slotAt, clock } = request;
  const { workspaceId, channelId } = claimed;
  // Read behind the locks: what they waited for is in it.
  const locked = lockForGate(flight, workspaceId, channelId);
  const [schedule] = await Promise.all([loadSchedule(flight, workspaceId, channelId), locked]);
  const sendingAt = clock.now();
  const objection = isAdrift(sendingAt, at) ?? objectionTo(schedule, request);
  if (objection) return objection;

  const sendBy = new Date(sendingAt.getTime() + sendWithinMs);
  const { id: routeArticleId, claimToken, textHash } = claimed;
  const intent = { routeArticleId, claimToken, textHash, slotAt, countedAt: at, sendingAt, sendBy, post };
  const [publicationId] = await Promise.all([insertIntent(flight, intent), commit()]);
  if (publicationId === null) return { kind: 'refused', detail: 'it was changed since it was claimed' };
  return { kind: 'passed', publicationId, sendingAt, sendBy };
}

// A process that slept must not act on what it saw before.
function isAdrift(now: Date, at: Date): GateVerdict | null {
  if (Math.abs(now.getTime() - at.getTime()) <= longestDriftMs) return null;
  return closed('all_blocked', `the clock reads ${now.toISOString()}, more than 2 minutes from the tick`);
}

function objectionTo(schedule: Schedule | null, { at, slotAt }: GateRequest): GateVerdict | null {
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

function closed(reason: TickReason, detail: string): GateVerdict {
  return { kind: 'workspace_closed', reason, detail };
}
