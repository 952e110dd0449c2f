import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import type { Logger } from '../logger.ts';
import type { Destination } from '../models/channels.ts';
import { type ClaimedRouteArticle, claimRouteArticle } from '../models/claims.ts';
import type { PublicationState } from '../models/publications.ts';
import { maxPublishAttempts } from '../models/routeArticles.ts';
import type { ArticlePublishingService, Prepared } from './ArticlePublishingService.ts';
import { composePost } from './composePost.ts';
import { type GateVerdict, passGate } from './passGate.ts';
import { ClaimLostError, type EndedTry, giveBack, recordOutcome, recordSkipped } from './recordOutcome.ts';
import type { PublishedArticle, TickReason, Tried } from './tickResult.ts';

const duplicateWaitMs = 360 * 60_000;

export type PublishingTools = {
  db: Database;
  service: ArticlePublishingService;
  logger: Logger;
  newToken: () => string;
};

/** The circumstances of one try. */
export type TryRequest = {
  routeArticleId: number;
  tickIntervalMs: number;
  at: Date;
  /** Null: a person's publish-now. */
  slotAt: Date | null;
  /** The workspace's newest slot, as it was when the article was chosen. */
  lastSlotAt: Date | null;
  clock: Clock;
  /** Aborted when the process is to stop: what has not passed the gate is given back. */
  signal: AbortSignal;
  /** Aborted when even what has passed the gate can wait no longer: it becomes unknown. */
  cutOff: AbortSignal;
};

/** What the tick does after a try. */
export type NextStep =
  | { kind: 'published'; published: PublishedArticle }
  | { kind: 'go_on' }
  | { kind: 'drop'; scope: 'channel' | 'account' }
  | { kind: 'end'; reason: TickReason; detail: string | null };

/** `tried` null: somebody else took the row, or its claim was lost; nothing of it is ours to tell. */
export type TryResult = { tried: Tried | null; next: NextStep };

/**
 * The action: claim, check, gate, send, record. Everything before the gate can be given back; what
 * follows it is on the record before the first byte leaves.
 */
export async function publishRouteArticle(tools: PublishingTools, request: TryRequest): Promise<TryResult> {
  const { db, newToken } = tools;
  const { routeArticleId: id, slotAt, at, lastSlotAt, clock } = request;
  const dueBy = slotAt ? at : null;
  const now = clock.now();
  const claimed = await claimRouteArticle(db, { id, claimToken: newToken(), dueBy, lastSlotAt, now });
  if (!claimed) return { tried: null, next: { kind: 'go_on' } };

  const attempt = new Try(tools, request, claimed);
  try {
    return await attempt.run();
  } catch (error) {
    if (!(error instanceof ClaimLostError)) throw error;
    tools.logger.warn({ routeArticleId: id }, 'claim lost');
    return { tried: null, next: attempt.nextWithoutClaim() };
  }
}

/** One claimed row on its way out: started by its claim, over with its outcome. */
class Try {
  readonly #tools: PublishingTools;
  readonly #request: TryRequest;
  readonly #claimed: ClaimedRouteArticle;
  readonly #destination: Destination;
  readonly #startedAt: Date;
  #isPastGate = false;

  constructor(tools: PublishingTools, request: TryRequest, claimed: ClaimedRouteArticle) {
    this.#tools = tools;
    this.#request = request;
    this.#claimed = claimed;
    this.#destination = claimed.destination;
    this.#startedAt = request.clock.now();
  }

  async run(): Promise<TryResult> {
    if (this.#isTooOld()) return this.#skip('too_old', 'older than the maximum age of its feed');
    const { duplicate } = this.#claimed;
    if (duplicate) return this.#endAsDuplicate(duplicate);
    const prepared = this.#tools.service.prepare(this.#destination);
    if (prepared.kind !== 'ready') return this.#record(null, prepared);
    if (this.#request.signal.aborted) return this.#stop();

    const post = composePost(this.#claimed);
    const { at, slotAt, clock } = this.#request;
    const verdict = await passGate(this.#tools.db, { claimed: this.#claimed, post, at, slotAt, clock });
    if (verdict.kind !== 'passed') return this.#turnBack(verdict);
    this.#isPastGate = true;
    return this.#send(prepared, post, verdict);
  }

  /** What follows when somebody else ended the claim: past the gate something may be out, and the tick ends. */
  nextWithoutClaim(): NextStep {
    if (!this.#isPastGate) return { kind: 'go_on' };
    return { kind: 'end', reason: 'busy', detail: 'its outcome was recorded by another consumer' };
  }

  async #send(
    prepared: Extract<Prepared, { kind: 'ready' }>,
    post: ReturnType<typeof composePost>,
    { publicationId, sendingAt, sendBy }: Extract<GateVerdict, { kind: 'passed' }>,
  ): Promise<TryResult> {
    const { clock, cutOff: signal } = this.#request;
    const outcome = await prepared.send(post, { clock, sendingAt, sendBy, signal });
    return this.#record(publicationId, outcome);
  }

  #isTooOld(): boolean {
    const { maxAgeMs, articlePublishedAt } = this.#claimed;
    return maxAgeMs !== null && this.#request.at.getTime() - articlePublishedAt.getTime() > maxAgeMs;
  }

  async #endAsDuplicate(state: PublicationState): Promise<TryResult> {
    if (state === 'published') return this.#skip('duplicate', 'this channel has this link already');
    const code = 'duplicate_in_flight';
    const detail = `this link is ${state} in this channel`;
    const nextAttemptAt = new Date(this.#request.at.getTime() + duplicateWaitMs);
    return this.#passOver({ nextAttemptAt, code, detail }, { kind: 'go_on' });
  }

  #turnBack(verdict: Exclude<GateVerdict, { kind: 'passed' }>): Promise<TryResult> {
    switch (verdict.kind) {
      case 'duplicate':
        return this.#endAsDuplicate(verdict.state);
      case 'refused':
        return this.#passOver({ code: 'gate_refused', detail: verdict.detail }, { kind: 'go_on' });
      // Its other rows would be turned back one by one, and use up the tries of the other channels.
      case 'channel_closed':
        return this.#passOver(
          { code: 'gate_refused', detail: verdict.detail },
          { kind: 'drop', scope: 'channel' },
        );
      case 'workspace_closed': {
        const { reason, detail } = verdict;
        return this.#passOver({ code: reason, detail }, { kind: 'end', reason, detail });
      }
      default:
        return verdict satisfies never;
    }
  }

  #stop(): Promise<TryResult> {
    const why = { code: 'stopping', detail: 'the process is stopping' };
    return this.#passOver(why, { kind: 'end', reason: 'stopping', detail: null });
  }

  async #skip(reason: 'duplicate' | 'too_old', detail: string): Promise<TryResult> {
    const ended = this.#ended(null);
    await this.#tools.db.transaction(trx => recordSkipped(trx, ended, reason, detail));
    const counts = { attempts: maxPublishAttempts, nextAttemptAt: null };
    return this.#told({ outcome: 'skipped', code: reason, detail, ...counts }, { kind: 'go_on' });
  }

  async #passOver(
    why: { code: string; detail: string; nextAttemptAt?: Date },
    next: NextStep,
  ): Promise<TryResult> {
    const { code, detail, nextAttemptAt } = why;
    const waitInstead = nextAttemptAt ? { nextAttemptAt, code, detail } : null;
    const { attempts } = await this.#tools.db.transaction(trx =>
      giveBack(trx, this.#ended(null), waitInstead),
    );
    return this.#told(
      { outcome: 'passed', code, detail, attempts, nextAttemptAt: nextAttemptAt ?? null },
      next,
    );
  }

  async #record(publicationId: number | null, outcome: PublishOutcome): Promise<TryResult> {
    const recorded = await recordOutcome(this.#tools.db, this.#ended(publicationId), outcome);
    const { attempts, nextAttemptAt, drops, isDead = false } = recorded;
    return this.#told(
      { outcome: toldAs(outcome), code: codeOf(outcome), detail: detailOf(outcome), attempts, nextAttemptAt },
      this.#after(outcome, drops),
      { isOver: isDead },
    );
  }

  #after(outcome: PublishOutcome, drops: 'channel' | 'account' | null): NextStep {
    if (outcome.kind === 'succeeded') {
      const { id: routeArticleId, title, url } = this.#claimed;
      const channel = this.#destination.name;
      return {
        kind: 'published',
        published: { routeArticleId, channel, title, url, remoteUrl: outcome.remoteUrl },
      };
    }
    if (outcome.kind === 'unknown') return { kind: 'end', reason: 'unknown_outcome', detail: outcome.detail };
    if (outcome.kind === 'not_sent' && outcome.code === 'aborted') {
      return { kind: 'end', reason: 'stopping', detail: null };
    }
    return drops ? { kind: 'drop', scope: drops } : { kind: 'go_on' };
  }

  #ended(publicationId: number | null): EndedTry {
    const { at, clock, tickIntervalMs } = this.#request;
    const now = clock.now();
    const durationMs = now.getTime() - this.#startedAt.getTime();
    const [claimed, destination] = [this.#claimed, this.#destination];
    return { claimed, destination, publicationId, tickIntervalMs, at, now, durationMs };
  }

  #told(told: Omit<Tried, 'routeArticleId' | 'channel'>, next: NextStep, { isOver = false } = {}): TryResult {
    const { id: routeArticleId, channelId } = this.#claimed;
    const channel = this.#destination.name;
    const tried: Tried = { routeArticleId, channel, ...told };
    const durationMs = this.#request.clock.now().getTime() - this.#startedAt.getTime();
    const isDead = told.outcome === 'failed' && isOver;
    const level = isDead || told.outcome === 'unknown' ? 'warn' : 'info';
    const what = isDead ? 'dead' : told.outcome;
    this.#tools.logger[level]({ ...tried, channelId, durationMs }, `article ${what}`);
    return { tried, next };
  }
}

function toldAs(outcome: PublishOutcome): Tried['outcome'] {
  if (outcome.kind === 'succeeded') return 'published';
  return outcome.kind === 'not_sent' ? 'passed' : outcome.kind;
}

function codeOf(outcome: PublishOutcome): string | null {
  if (outcome.kind === 'succeeded') return null;
  return outcome.kind === 'skipped' ? outcome.reason : outcome.code;
}

function detailOf(outcome: PublishOutcome): string | null {
  return outcome.kind === 'succeeded' ? null : outcome.detail;
}
