import type { Post } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import type { DatabaseHealth } from '../database/DatabaseHealth.ts';
import { isDatabaseAway, transact } from '../database/transact.ts';
import type { Limits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import type { Destination } from '../models/channels.ts';
import { type ClaimedRouteArticle, claimRepeat, claimRouteArticle } from '../models/claims.ts';
import { isPublished, type PublicationState } from '../models/publications.ts';
import { findRouteArticle } from '../models/routeArticleList.ts';
import { maxPublishAttempts } from '../models/routeArticles.ts';
import type { UnknownOutcome } from '../models/unknownOutcomes.ts';
import type { ArticlePublishingService, Ready } from './ArticlePublishingService.ts';
import { askForExisting } from './askForExisting.ts';
import type { ClaimsInHand } from './ClaimsInHand.ts';
import { composePost } from './composePost.ts';
import { ClaimLostError, type EndedTry, giveBack, type PassedIntent, type Recorded } from './endTry.ts';
import { type GateVerdict, passGate } from './passGate.ts';
import { recordOutcome, recordSkipped } from './recordOutcome.ts';
import type { PublishedArticle, TickReason, Tried } from './tickResult.ts';
import { codeOf, detailOf, toldAs } from './toldOutcome.ts';
import { undoGate } from './undoGate.ts';
import { untilAnswered } from './untilAnswered.ts';

const duplicateWaitMs = 360 * 60_000;

export type PublishingTools = {
  db: Database;
  service: ArticlePublishingService;
  logger: Logger;
  newToken: () => string;
  claims: ClaimsInHand;
  limits: Limits;
  /** Told of a database that is away where a tick deals with that by itself. */
  health: DatabaseHealth;
};

/** The circumstances of one try. */
export type TryRequest = {
  workspaceId: number;
  routeArticleId: number;
  /** What is sent again; null: it is a candidate. */
  repeats: UnknownOutcome | null;
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
  const { claims, newToken, logger } = tools;
  const { routeArticleId: id, workspaceId } = request;
  const claimToken = newToken();
  claims.take({ id, workspaceId, claimToken });
  let attempt: Try | null = null;
  try {
    const claimed = await claim(tools, request, claimToken);
    if (claimed) {
      claims.confirm(claimed);
      attempt = new Try(tools, request, claimed);
    }
    const result = attempt ? await attempt.run() : { tried: null, next: goOn };
    claims.drop(claimToken);
    return result;
  } catch (error) {
    // Whether the claim stands is not known: it stays in hand, for whoever has this workspace next.
    if (isDatabaseAway(error)) throw error;
    const isOurOwnDoing = error instanceof ClaimLostError && (await claims.wasGivenBack(claimToken));
    claims.drop(claimToken);
    if (!(error instanceof ClaimLostError)) throw error;
    if (isOurOwnDoing) return { tried: null, next: stopping };
    logger.warn({ routeArticleId: id }, 'claim lost');
    return { tried: null, next: (await wasSkipped(tools, id)) ? goOn : takenOver };
  }
}

const goOn: NextStep = { kind: 'go_on' };
// Whoever ended the claim works here by right: what else there is to do is theirs.
const takenOver: NextStep = { kind: 'end', reason: 'busy', detail: 'another consumer ended its claim' };
const stopping: NextStep = { kind: 'end', reason: 'stopping', detail: null };

async function wasSkipped({ db }: PublishingTools, id: number): Promise<boolean> {
  return (await findRouteArticle(db, id))?.skipReason === 'by_person';
}

function claim({ db }: PublishingTools, request: TryRequest, claimToken: string) {
  const { routeArticleId: id, repeats, slotAt, at, lastSlotAt, clock } = request;
  const now = clock.now();
  if (repeats) return claimRepeat(db, { id, claimToken, dueBy: at, lastSlotAt, now });
  return claimRouteArticle(db, { id, claimToken, dueBy: slotAt ? at : null, lastSlotAt, now });
}

/** One claimed row on its way out: started by its claim, over with its outcome. */
class Try {
  readonly #tools: PublishingTools;
  readonly #request: TryRequest;
  readonly #claimed: ClaimedRouteArticle;
  readonly #destination: Destination;
  readonly #startedAt: Date;
  #intent: PassedIntent | null = null;
  #reconciliation: Ready['reconciliation'] = 'look_up';

  constructor(tools: PublishingTools, request: TryRequest, claimed: ClaimedRouteArticle) {
    this.#tools = tools;
    this.#request = request;
    this.#claimed = claimed;
    this.#destination = claimed.destination;
    this.#startedAt = request.clock.now();
  }

  async run(): Promise<TryResult> {
    const { repeats } = this.#request;
    const { duplicate } = this.#claimed;
    if (!repeats && this.#isTooOld()) return this.#skip('too_old', 'older than the maximum age of its feed');
    if (!repeats && duplicate) return this.#endAsDuplicate(duplicate);
    const prepared = this.#tools.service.prepare(this.#destination);
    if (prepared.kind !== 'ready') return repeats ? this.#notReady(prepared) : this.#record(prepared);
    this.#reconciliation = prepared.reconciliation;

    const post = repeats?.post ?? composePost(this.#claimed);
    const { clock, signal } = this.#request;
    const limits = { clock, signal, lookUpsMs: this.#tools.limits.lookUpsMs };
    const existing = repeats ? null : await askForExisting(prepared, post, limits);
    if (signal.aborted) return this.#stop();
    if (existing) return this.#record(existing);
    const verdict = await this.#passGate(post);
    if (verdict === 'lost') return this.#undoGate();
    if (verdict.kind !== 'passed') return this.#turnBack(verdict);
    const { publicationId, sendingAt, sendBy } = verdict;
    this.#intent = { publicationId, post, sendingAt, sendBy };
    return this.#send(prepared, this.#intent);
  }

  async #passGate(post: Post): Promise<GateVerdict | 'lost'> {
    const { at, slotAt, clock, repeats } = this.#request;
    const { db, limits, health } = this.#tools;
    const repeatOf = repeats?.publicationId ?? null;
    try {
      return await passGate(db, { claimed: this.#claimed, post, repeatOf, at, slotAt, clock, limits });
    } catch (error) {
      if (!health.failed(error)) throw error;
      return 'lost';
    }
  }

  async #undoGate(): Promise<TryResult> {
    const { cutOff: signal, clock } = this.#request;
    const { db, health } = this.#tools;
    const undo = () => undoGate(db, this.#claimed, clock.now());
    const isOurs = await untilAnswered(undo, { health, signal });
    if (!isOurs) throw new ClaimLostError(`the claim on route article ${this.#claimed.id} was lost`);
    const detail = 'the database was away at the gate';
    const attempts = this.#claimed.attempts - 1;
    return this.#told(
      { outcome: 'passed', code: 'database_away', detail, attempts, nextAttemptAt: null },
      { kind: 'end', reason: 'all_blocked', detail },
    );
  }

  async #send(prepared: Ready, { post, sendingAt, sendBy }: PassedIntent): Promise<TryResult> {
    const { clock, cutOff: signal } = this.#request;
    const outcome = await prepared.send(post, { clock, sendingAt, sendBy, signal });
    return this.#record(outcome);
  }

  // Its settings have changed since it was sent.
  #notReady({ code, detail }: Exclude<ReturnType<ArticlePublishingService['prepare']>, Ready>) {
    return this.#passOver({ code, detail }, goOn);
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
    await transact(this.#tools.db, trx => recordSkipped(trx, this.#ended(), reason, detail));
    const counts = { attempts: maxPublishAttempts, nextAttemptAt: null };
    return this.#told({ outcome: 'skipped', code: reason, detail, ...counts }, { kind: 'go_on' });
  }

  async #passOver(
    why: { code: string; detail: string; nextAttemptAt?: Date },
    next: NextStep,
  ): Promise<TryResult> {
    const { code, detail, nextAttemptAt } = why;
    const waitInstead = nextAttemptAt ? { nextAttemptAt, code, detail } : null;
    const { attempts } = await transact(this.#tools.db, trx => giveBack(trx, this.#ended(), waitInstead));
    return this.#told(
      { outcome: 'passed', code, detail, attempts, nextAttemptAt: nextAttemptAt ?? null },
      next,
    );
  }

  async #record(outcome: PublishOutcome): Promise<TryResult> {
    const recorded = await this.#write(outcome);
    if (!recorded) return { tried: null, next: takenOver };
    const { attempts, nextAttemptAt, drops, isDead = false } = recorded;
    return this.#told(
      { outcome: toldAs(outcome), code: codeOf(outcome), detail: detailOf(outcome), attempts, nextAttemptAt },
      this.#after(outcome, drops),
      { isOver: isDead },
    );
  }

  /**
   * What was answered is written however long the database is away, and late rather than never. Null: an
   * earlier try, whose own answer was lost, or another consumer has ended the claim.
   */
  #write(outcome: PublishOutcome): Promise<Recorded | null> {
    const { db, health } = this.#tools;
    const { cutOff: signal } = this.#request;
    const write = async (isInDoubt: boolean) => {
      try {
        return await recordOutcome(db, this.#ended(), outcome);
      } catch (error) {
        if (!isInDoubt || !(error instanceof ClaimLostError)) throw error;
        return (await this.#isOnRecord(outcome)) ? this.#recorded() : null;
      }
    };
    return this.#intent ? untilAnswered(write, { health, signal }) : write(false);
  }

  async #isOnRecord({ kind }: PublishOutcome): Promise<boolean> {
    if (kind !== 'succeeded' || !this.#intent) return false;
    return isPublished(this.#tools.db, this.#intent.publicationId);
  }

  #recorded(): Recorded {
    return { attempts: this.#claimed.attempts, nextAttemptAt: null, drops: null };
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

  #ended(): EndedTry {
    const { at, clock, tickIntervalMs } = this.#request;
    const now = clock.now();
    const durationMs = now.getTime() - this.#startedAt.getTime();
    const [claimed, destination] = [this.#claimed, this.#destination];
    const [intent, reconciliation] = [this.#intent, this.#reconciliation];
    return { claimed, destination, intent, reconciliation, tickIntervalMs, at, now, durationMs };
  }

  #told(told: Omit<Tried, 'routeArticleId' | 'channel'>, next: NextStep, { isOver = false } = {}): TryResult {
    const { id: routeArticleId, channelId } = this.#claimed;
    const channel = this.#destination.name;
    const tried: Tried = { routeArticleId, channel, ...told };
    const durationMs = Math.max(0, this.#request.clock.now().getTime() - this.#startedAt.getTime());
    const isDead = told.outcome === 'failed' && isOver;
    const level = isDead || told.outcome === 'unknown' ? 'warn' : 'info';
    const what = isDead ? 'dead' : told.outcome;
    this.#tools.logger[level]({ ...tried, channelId, durationMs }, `article ${what}`);
    return { tried, next };
  }
}
