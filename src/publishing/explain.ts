import type { ListedRouteArticle } from '../models/routeArticleList.ts';
import type { ChannelState, Schedule } from '../models/schedule.ts';
import { type Closed, type ClosedReason, longest, openChannels } from './openChannels.ts';
import { nextSlot, slotFrom } from './slot.ts';
import { type StopReason, workspaceStops } from './tickStop.ts';

/** Every reason for which a route article is where it is: a closed list. */
export type ExplainReason =
  | 'awaiting_approval'
  | 'rejected'
  | 'enriching'
  | 'waiting_turn'
  | 'backoff'
  | ClosedReason
  | 'outside_window'
  | 'daily_cap'
  | 'workspace_paused'
  | 'no_worker'
  | 'in_flight'
  | 'unknown_outcome'
  | 'duplicate_in_flight'
  | 'published'
  | 'skipped'
  | 'dead';

export type Explanation = {
  /** The row's publish status. */
  state: string;
  reason: ExplainReason;
  /** When the reason ends by itself; null: by a person or an event, or not at all. */
  until: Date | null;
  /** When a tick looks at it next; null where none will before a person acts. */
  next: Date | null;
  detail: string | null;
};

const ticksMissed = 3;
// Enough for a window that opens once a week; windows too short for any slot never end.
const reasonsInTurn = 20;

/**
 * Says why a route article waits, and until when, by the very rules that the tick uses. Of several
 * reasons the one that ends last is named. `assumeWorker` true: do not look whether a worker runs at all.
 */
export function explain(
  article: ListedRouteArticle,
  schedule: Schedule,
  { at, assumeWorker = false }: { at: Date; assumeWorker?: boolean },
): Explanation {
  const state = article.publishStatus;
  if (state === 'unknown') return explainUnknown(article, schedule, at);
  const settled = settledReason(article);
  if (settled) return { state, reason: settled, until: null, next: null, detail: detailOf(article) };

  const { workspace } = schedule;
  const cause = longest(waits(article, schedule, at));
  if (cause) {
    const { reason, until, detail } = cause;
    return { state, reason, until, next: until && nextLook(article, schedule, until), detail };
  }
  if (!assumeWorker && isWithoutWorker(schedule, at)) {
    const since = (workspace.lastTickAt ?? workspace.createdAt).toISOString();
    return { state, reason: 'no_worker', until: null, next: null, detail: `no tick since ${since}` };
  }
  const next = nextLook(article, schedule, nextSlot(at, workspace));
  return { state, reason: 'waiting_turn', until: null, next, detail: null };
}

// Finding out about it is no publication: whatever stops those, the next tick looks.
function explainUnknown(
  { nextLookupAt, lastError }: ListedRouteArticle,
  { workspace }: Schedule,
  at: Date,
): Explanation {
  const until = nextLookupAt && nextLookupAt > at ? nextLookupAt : null;
  const next = nextLookupAt && (until ? slotFrom(until, workspace) : nextSlot(at, workspace));
  const detail = nextLookupAt ? lastError : `${lastError}; left to a person: queue settle`;
  return { state: 'unknown', reason: 'unknown_outcome', until, next, detail };
}

// The slot after one reason's end may lie within another: a wait that ends at night, say, in a window's pause.
function nextLook(article: ListedRouteArticle, schedule: Schedule, from: Date): Date | null {
  let next = slotFrom(from, schedule.workspace);
  for (let step = 0; step < reasonsInTurn; step++) {
    const then = { ...schedule, channels: schedule.channels.map(channel => foundOutBy(next, channel)) };
    const later = longest([...waits(article, then, next), ...workspaceStops(then, next)]);
    if (!later) return next;
    if (!later.until) return null;
    next = slotFrom(later.until, schedule.workspace);
  }
  return null;
}

// Once it is due it is found out about first, or takes its next wait, which nobody can foresee.
function foundOutBy(at: Date, channel: ChannelState): ChannelState {
  return channel.lookUpAt && channel.lookUpAt <= at ? { ...channel, lookUpAt: null } : channel;
}

/** What a row of this channel that is ready waits for: its channel, the workspace, or just its turn. */
export function readyReason(channelId: number, schedule: Schedule, at: Date): ExplainReason {
  const closed = longest<ExplainReason>([
    ...channelWait({ channelId }, schedule, at),
    ...workspaceWaits(schedule, at),
  ]);
  return closed?.reason ?? 'waiting_turn';
}

/** Whether no tick ran for three intervals: no worker is there, or it cannot. */
export function isWithoutWorker({ workspace }: Pick<Schedule, 'workspace'>, at: Date): boolean {
  const since = workspace.lastTickAt ?? workspace.createdAt;
  return at.getTime() - since.getTime() > ticksMissed * workspace.tickIntervalMs;
}

function settledReason({ publishStatus, approvalStatus }: ListedRouteArticle): ExplainReason | null {
  switch (publishStatus) {
    case 'published':
    case 'skipped':
    case 'dead':
      return publishStatus;
    case 'unknown':
      return 'unknown_outcome';
    case 'publishing':
      return 'in_flight';
    case 'pending':
    case 'failed':
      if (approvalStatus === 'pending') return 'awaiting_approval';
      return approvalStatus === 'rejected' ? 'rejected' : null;
    default:
      return publishStatus satisfies never;
  }
}

function detailOf({ publishStatus, approvalStatus, approvalDetail, ...row }: ListedRouteArticle) {
  if (publishStatus === 'skipped') return row.skipReason;
  const isAsked = approvalStatus === 'pending' && (publishStatus === 'pending' || publishStatus === 'failed');
  return isAsked && approvalDetail !== null ? approvalDetail : row.lastError;
}

function waits(article: ListedRouteArticle, schedule: Schedule, at: Date): Closed<ExplainReason>[] {
  return [...ownWait(article, at), ...channelWait(article, schedule, at), ...workspaceWaits(schedule, at)];
}

const waitReasons: ReadonlyMap<string | null, ExplainReason> = new Map([
  ['duplicate_in_flight', 'duplicate_in_flight'],
  ['enriching', 'enriching'],
] as const);

function ownWait({ nextAttemptAt, lastErrorCode, lastError }: ListedRouteArticle, at: Date) {
  if (!nextAttemptAt || nextAttemptAt <= at) return [];
  return [{ reason: waitReasons.get(lastErrorCode) ?? 'backoff', until: nextAttemptAt, detail: lastError }];
}

function channelWait(
  { channelId }: Pick<ListedRouteArticle, 'channelId'>,
  { workspace, channels }: Schedule,
  at: Date,
) {
  const channel = channels.filter(({ id }) => id === channelId);
  const [verdict] = openChannels(workspace, channel, at);
  if (!verdict)
    return [{ reason: 'channel_paused', until: null, detail: 'the channel is archived' } as const];
  return verdict.closed ? [verdict.closed] : [];
}

const told: Readonly<Record<Exclude<StopReason, 'slot_used'>, ExplainReason>> = {
  paused: 'workspace_paused',
  outside_window: 'outside_window',
  daily_cap: 'daily_cap',
};

// A used slot is no reason of its own: the row waits for its turn, at the next one.
function workspaceWaits(schedule: Schedule, at: Date): Closed<ExplainReason>[] {
  return workspaceStops(schedule, at).flatMap(({ reason, until, detail }) =>
    reason === 'slot_used' ? [] : [{ reason: told[reason], until, detail }],
  );
}
