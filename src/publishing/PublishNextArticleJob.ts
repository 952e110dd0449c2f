import type { Clock } from '../clock.ts';
import { type Glance, glanceAt } from '../models/glance.ts';
import {
  candidatesPerTick,
  type DueCandidates,
  dueForPublishing,
  promoteEndedWaits,
} from '../models/routeArticles.ts';
import { type ChannelState, loadSchedule } from '../models/schedule.ts';
import type { UnknownOutcome } from '../models/unknownOutcomes.ts';
import type { Workspace } from '../models/workspaces.ts';
import { endLeftovers } from './endLeftovers.ts';
import { isWithoutWorker } from './explain.ts';
import { openChannels } from './openChannels.ts';
import { openRepeats } from './openRepeats.ts';
import { type PublishingTools, publishRouteArticle } from './publishRouteArticle.ts';
import { skipWhatExpired } from './skipWhatExpired.ts';
import { slotOf, tickInstant } from './slot.ts';
import { tellIfSetBack } from './tellIfSetBack.ts';
import type { PublishedArticle, TickReason, TickResult, Tried } from './tickResult.ts';
import { workspaceStops } from './tickStop.ts';
import { type LockUnit, publishingUnit } from './workspaceLock.ts';

const dueWaitsWorthPromoting = 100;

export type TickContext = {
  clock: Clock;
  /** Aborted when the process is to stop. */
  signal: AbortSignal;
  /** Aborted when a send that is under way can be waited for no longer. Default: never. */
  cutOff?: AbortSignal;
};

/**
 * The tick: wakes up for one workspace and publishes at most one article.
 *
 * It decides nothing by having been woken. However often, late or doubled it fires, the workspace's lock,
 * the gate and the unique indexes decide; a blocked article never holds up the others.
 */
export class PublishNextArticleJob {
  readonly #tools: PublishingTools;
  readonly #lock: LockUnit;

  constructor(tools: PublishingTools, lock: LockUnit) {
    this.#tools = tools;
    this.#lock = lock;
  }

  /** Runs one tick. Throws only for faults of ours (a lost database); the next tick recovers from them. */
  async handle({ workspaceId }: { workspaceId: number }, context: TickContext): Promise<TickResult> {
    const tick = await this.#wakeUp(workspaceId, context.clock);
    // What is left over is ended first, whatever follows; else an idle tick takes no lock.
    const look = hasLeftovers(tick) ? null : await this.#look(tick);
    if (look && 'reason' in look) return this.#idle(tick, look);

    const lock = await this.#lock(publishingUnit(workspaceId));
    if (!lock) return this.#idle(tick, { reason: 'busy', detail: 'another consumer has this workspace' });
    try {
      const signal = AbortSignal.any([context.signal, lock.signal]);
      return await this.#publishNext(tick, look, { ...context, signal });
    } finally {
      await lock.release();
    }
  }

  async #publishNext(tick: Tick, beforeLock: Look | null, context: TickContext): Promise<TickResult> {
    const result = beforeLock && (await this.#tryInTurn(tick, beforeLock, context));
    if (result) return result;
    // Nothing of what was seen before the lock can be had: whoever held it has published, or left something
    // over. So that is ended, and looked again, by the same instant.
    const now = await this.#again(tick);
    // The lock may be lost meanwhile, and what is in flight be another's.
    if (context.signal.aborted) return this.#idle(now, { reason: 'stopping', detail: null });
    const { id: workspaceId } = now.glance.workspace;
    const repeats = hasLeftovers(now)
      ? await endLeftovers(this.#tools, { workspaceId, at: now.at, ...context })
      : [];
    return this.#repeatOrPublish(await this.#again(tick), repeats, context);
  }

  /** Repeats go before candidates, where the tick's own rules let them. */
  async #repeatOrPublish(
    tick: Tick,
    repeats: readonly UnknownOutcome[],
    context: TickContext,
  ): Promise<TickResult> {
    const open = await openRepeats(this.#tools.db, repeats, { at: tick.at, slotAt: tick.slot });
    const look = await this.#look(tick);
    if ('reason' in look && open.length === 0) return this.#idle(tick, look);
    const result = await this.#tryInTurn(tick, 'reason' in look ? noCandidates : look, context, open);
    return result ?? this.#idle(tick, 'reason' in look ? look : nothingDue);
  }

  /**
   * Repeats, then candidates in their order, until one is published, none is left, ten were tried, or time is
   * up. Null: none of them could be claimed.
   */
  async #tryInTurn(
    tick: Tick,
    look: Look,
    context: TickContext,
    repeats: readonly UnknownOutcome[] = [],
  ): Promise<TickResult | null> {
    const { at, slot: slotAt } = tick;
    const { id: workspaceId, tickIntervalMs, lastSlotAt } = tick.glance.workspace;
    const { clock, signal, cutOff = never } = context;
    const { candidates, channels, dueWaits, openIds, late } = look;
    if (late) await skipWhatExpired(this.#tools, { workspace: late, at, clock });
    if (dueWaits > dueWaitsWorthPromoting) await promoteEndedWaits(this.#tools.db, openIds, at);
    const circumstances = { workspaceId, tickIntervalMs, at, slotAt, lastSlotAt, clock, signal, cutOff };
    const until = clock.now().getTime() + this.#tools.limits.candidatesMs;
    const dropped = new Set<number>();
    const tried: Tried[] = [];
    const inTurn = [
      ...repeats.map(unknown => ({
        id: unknown.routeArticleId,
        channelId: unknown.channelId,
        repeats: unknown,
      })),
      ...candidates.map(candidate => ({ ...candidate, repeats: null })),
    ];
    for (const { id: routeArticleId, channelId, repeats } of inTurn) {
      if (dropped.has(channelId)) continue;
      if (countTried(tried) >= candidatesPerTick || clock.now().getTime() > until) break;
      if (signal.aborted) return this.#idle(tick, { reason: 'stopping', detail: null }, tried);

      const result = await publishRouteArticle(this.#tools, { routeArticleId, repeats, ...circumstances });
      if (result.tried) tried.push(result.tried);
      const { next } = result;
      if (next.kind === 'published') return published(tick, next.published, tried);
      if (next.kind === 'end') return this.#idle(tick, next, tried);
      if (next.kind === 'drop') {
        for (const id of sharing(next.scope, channelId, channels)) dropped.add(id);
      }
    }
    return tried.length > 0 ? this.#idle(tick, { reason: 'all_blocked', detail: null }, tried) : null;
  }

  async #wakeUp(workspaceId: number, clock: Clock): Promise<Tick> {
    const now = clock.now();
    const glance = await this.#glance(workspaceId);
    const at = tickInstant(now, glance.workspace);
    return { glance, at, slot: slotOf(at, glance.workspace) };
  }

  async #again(tick: Tick): Promise<Tick> {
    return { ...tick, glance: await this.#glance(tick.glance.workspace.id) };
  }

  async #glance(workspaceId: number): Promise<Glance> {
    const glance = await glanceAt(this.#tools.db, workspaceId);
    if (!glance) throw new WorkspaceGoneError(`workspace ${workspaceId} does not exist, or is archived`);
    return glance;
  }

  /** What could go out now, or why nothing can. */
  async #look({ glance, at }: Tick): Promise<Look | Stop> {
    const { workspace, hasReady, waitEndsAt } = glance;
    const hasQueued = hasReady || (waitEndsAt !== null && waitEndsAt <= at);
    // Where nothing is queued no cap matters, and the rest of the schedule need not be read.
    const schedule = hasQueued ? await loadSchedule(this.#tools.db, workspace.id) : null;
    const [stop] = workspaceStops(schedule ?? { workspace, capthCountedAt: null }, at);
    if (stop) await tellIfSetBack(this.#tools, workspace, at);
    if (stop || !schedule) return stop ?? nothingDue;
    const { channels } = schedule;
    const open = openChannels(workspace, channels, at).filter(({ closed }) => !closed);
    const openIds = open.map(({ channel }) => channel.id);
    const due = await dueForPublishing(this.#tools.db, openIds, at);
    if (due.candidates.length === 0) return nothingDue;
    const late = isWithoutWorker(schedule, at) ? schedule.workspace : null;
    return { ...due, openIds, channels, late };
  }

  #idle(tick: Tick, { reason, detail }: Stop, tried: readonly Tried[] = []): TickResult {
    const workspaceId = tick.glance.workspace.id;
    this.#tools.logger.debug({ workspaceId, reason, tried: tried.length }, 'tick was idle');
    return { ...told(tick), outcome: 'idle', reason, detail, published: null, tried };
  }
}

/** Thrown for a tick whose workspace was archived or deleted while it waited. */
export class WorkspaceGoneError extends Error {
  override name = 'WorkspaceGoneError';
}

/** A tick under way: its instant, its slot, and what it saw when it woke. */
type Tick = { glance: Glance; at: Date; slot: Date };
/** What a closer look found: candidates, and the channels that a hold may drop. */
type Look = DueCandidates & {
  openIds: readonly number[];
  channels: readonly ChannelState[];
  /** The workspace, if this is its first tick for long. */
  late: Workspace | null;
};
type Stop = { reason: TickReason; detail: string | null };

const noCandidates: Look = { candidates: [], dueWaits: 0, openIds: [], channels: [], late: null };
const nothingDue: Stop = { reason: 'nothing_due', detail: null };
const never = new AbortController().signal;

function hasLeftovers({ glance: { hasInFlight, lookUpAt }, at }: Tick): boolean {
  return hasInFlight || (lookUpAt !== null && lookUpAt <= at);
}

function published(tick: Tick, article: PublishedArticle, tried: readonly Tried[]): TickResult {
  return { ...told(tick), outcome: 'published', reason: null, detail: null, published: article, tried };
}

function told({ glance, at, slot }: Tick) {
  return { workspace: glance.workspace.name, at, slot };
}

// A row that only waits for another's end costs no try.
function countTried(tried: readonly Tried[]): number {
  return tried.filter(({ code }) => code !== 'duplicate_in_flight').length;
}

function sharing(
  scope: 'channel' | 'account',
  channelId: number,
  channels: readonly ChannelState[],
): number[] {
  if (scope === 'channel') return [channelId];
  const account = channels.find(channel => channel.id === channelId)?.account;
  return channels.filter(channel => account && channel.account?.id === account.id).map(({ id }) => id);
}
