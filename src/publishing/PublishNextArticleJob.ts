import type { Clock } from '../clock.ts';
import { raiseAlertOnce } from '../models/alerts.ts';
import {
  type Candidate,
  candidatesPerTick,
  dueForPublishing,
  promoteEndedWaits,
} from '../models/routeArticles.ts';
import { type ChannelState, loadSchedule, type Schedule } from '../models/schedule.ts';
import { openChannels } from './openChannels.ts';
import { type PublishingTools, publishRouteArticle } from './publishRouteArticle.ts';
import { recoverInFlight } from './recoverInFlight.ts';
import { slotOf, tickInstant } from './slot.ts';
import type { PublishedArticle, TickReason, TickResult, Tried } from './tickResult.ts';
import { isClockSetBack, workspaceStops } from './tickStop.ts';
import { type LockUnit, publishingUnit } from './workspaceLock.ts';

const newCandidatesForMs = 60_000;
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
    const woken = await this.#wakeUp(workspaceId, context.clock);
    if (!woken.schedule.hasInFlight) {
      const stop = await this.#stopOf(woken);
      if (stop) return this.#idle(woken, stop);
      const { candidates } = await this.#due(woken);
      if (candidates.length === 0) return this.#idle(woken, { reason: 'nothing_due', detail: null });
    }

    const lock = await this.#lock(publishingUnit(workspaceId));
    if (!lock) return this.#idle(woken, { reason: 'busy', detail: 'another consumer has this workspace' });
    try {
      return await this.#publishNext(woken, {
        ...context,
        signal: AbortSignal.any([context.signal, lock.signal]),
      });
    } finally {
      await lock.release();
    }
  }

  async #publishNext(woken: Look, context: TickContext): Promise<TickResult> {
    await this.#recover(woken, context.clock);
    // Whoever had the lock before may have published: look again, by the same instant.
    const look = { ...woken, schedule: await this.#load(woken.schedule.workspace.id) };
    const stop = await this.#stopOf(look);
    if (stop) return this.#idle(look, stop);
    const { candidates, dueWaits, openIds } = await this.#due(look);
    if (dueWaits > dueWaitsWorthPromoting) await promoteEndedWaits(this.#tools.db, openIds, look.at);
    if (candidates.length === 0) return this.#idle(look, { reason: 'nothing_due', detail: null });
    return this.#tryInTurn(look, candidates, context);
  }

  /** Candidates in their order, until one is published, none is left, ten were tried, or time is up. */
  async #tryInTurn(look: Look, candidates: readonly Candidate[], context: TickContext): Promise<TickResult> {
    const { at, schedule } = look;
    const { clock, signal, cutOff = never } = context;
    const until = clock.now().getTime() + newCandidatesForMs;
    const dropped = new Set<number>();
    const tried: Tried[] = [];
    for (const { id: routeArticleId, channelId } of candidates) {
      if (dropped.has(channelId)) continue;
      if (countTried(tried) >= candidatesPerTick || clock.now().getTime() > until) break;
      if (signal.aborted) return this.#idle(look, { reason: 'stopping', detail: null }, tried);

      const { tickIntervalMs } = schedule.workspace;
      const circumstances = { tickIntervalMs, at, slotAt: look.slot, clock, signal, cutOff };
      const result = await publishRouteArticle(this.#tools, { routeArticleId, ...circumstances });
      if (result.tried) tried.push(result.tried);
      const { next } = result;
      if (next.kind === 'published') return published(look, next.published, tried);
      if (next.kind === 'end') return this.#idle(look, next, tried);
      if (next.kind === 'drop') {
        for (const id of sharing(next.scope, channelId, schedule.channels)) dropped.add(id);
      }
    }
    const reason = tried.length > 0 ? 'all_blocked' : 'nothing_due';
    return this.#idle(look, { reason, detail: null }, tried);
  }

  async #wakeUp(workspaceId: number, clock: Clock): Promise<Look> {
    const now = clock.now();
    const schedule = await this.#load(workspaceId);
    const at = tickInstant(now, schedule.workspace);
    return { schedule, at, slot: slotOf(at, schedule.workspace) };
  }

  async #load(workspaceId: number): Promise<Schedule> {
    const schedule = await loadSchedule(this.#tools.db, workspaceId);
    if (!schedule) throw new WorkspaceGoneError(`workspace ${workspaceId} does not exist, or is archived`);
    return schedule;
  }

  async #stopOf({ schedule, at }: Look): Promise<Stop | null> {
    const [stop] = workspaceStops(schedule, at);
    if (!stop) return null;
    if (stop.reason === 'slot_used' && isClockSetBack(schedule, at)) {
      const { id: workspaceId, name } = schedule.workspace;
      const message = `Workspace ${name} waits: ${stop.detail}.`;
      await raiseAlertOnce(this.#tools.db, { workspaceId, kind: 'clock_set_back', message, now: at });
    }
    return stop;
  }

  async #due({ schedule, at }: Look) {
    const verdicts = openChannels(schedule.workspace, schedule.channels, at);
    const openIds = verdicts.filter(({ closed }) => !closed).map(({ channel }) => channel.id);
    return { ...(await dueForPublishing(this.#tools.db, openIds, at)), openIds };
  }

  async #recover({ schedule, at }: Look, clock: Clock): Promise<void> {
    const workspaceId = schedule.workspace.id;
    const recovered = await recoverInFlight(this.#tools.db, { workspaceId, at, now: clock.now() });
    for (const { routeArticleId, outcome } of recovered) {
      this.#tools.logger.warn({ workspaceId, routeArticleId, outcome }, 'article recovered');
    }
  }

  #idle(look: Look, { reason, detail }: Stop, tried: readonly Tried[] = []): TickResult {
    const workspaceId = look.schedule.workspace.id;
    this.#tools.logger.debug({ workspaceId, reason, tried: tried.length }, 'tick was idle');
    return { ...told(look), outcome: 'idle', reason, detail, published: null, tried };
  }
}

/** Thrown for a tick whose workspace was archived or deleted while it waited. */
export class WorkspaceGoneError extends Error {
  override name = 'WorkspaceGoneError';
}

type Look = { schedule: Schedule; at: Date; slot: Date };
type Stop = { reason: TickReason; detail: string | null };

const never = new AbortController().signal;

function published(look: Look, article: PublishedArticle, tried: readonly Tried[]): TickResult {
  return { ...told(look), outcome: 'published', reason: null, detail: null, published: article, tried };
}

function told({ schedule, at, slot }: Look) {
  return { workspace: schedule.workspace.name, at, slot };
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
