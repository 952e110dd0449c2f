import type { ComposedPost } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import { transact } from '../database/transact.ts';
import type { Destination } from '../models/channels.ts';
import type { ClaimedRouteArticle } from '../models/claims.ts';
import { isPublished, type PublicationState } from '../models/publications.ts';
import { maxPublishAttempts } from '../models/routeArticles.ts';
import type { NotReady } from './ArticlePublishingService.ts';
import { asItWasSent, composeToSend } from './composeToSend.ts';
import { ClaimLostError, type EndedTry, giveBack, type PassedIntent, type Recorded } from './endTry.ts';
import { goOn, type NextStep, stopping, type TryResult, takenOver } from './nextStep.ts';
import { type GateVerdict, passGate } from './passGate.ts';
import type { PublishingTools, TryRequest } from './publishRouteArticle.ts';
import type { ReadyChannel } from './ReadyChannel.ts';
import { recordOutcome, recordSkipped } from './recordOutcome.ts';
import type { Tried } from './tickResult.ts';
import { codeOf, detailOf, toldAs } from './toldOutcome.ts';
import { undoGate } from './undoGate.ts';
import { untilAnswered } from './untilAnswered.ts';

const duplicateWaitMs = 360 * 60_000;

/** One claimed row on its way out: started by its claim, over with its outcome. */
export class Try {
  readonly #tools: PublishingTools;
  readonly #request: TryRequest;
  readonly #claimed: ClaimedRouteArticle;
  readonly #destination: Destination;
  readonly #startedAt: Date;
  #intent: PassedIntent | null = null;
  #reconciliation: ReadyChannel['reconciliation'] = 'look_up';
  #notes: readonly string[] = [];

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

    const composed = await this.#compose(prepared);
    if (this.#request.signal.aborted) return this.#stop();
    if (composed.kind !== 'composed') return this.#record(composed);
    const { post } = composed;
    const verdict = await this.#passGate(post);
    if (verdict === 'lost') return this.#undoGate();
    if (verdict.kind !== 'passed') return this.#turnBack(verdict);
    const { publicationId, sendingAt, sendBy } = verdict;
    this.#intent = { publicationId, post, sendingAt, sendBy };
    return this.#send(prepared, this.#intent);
  }

  async #compose(channel: ReadyChannel) {
    const { clock, signal, repeats } = this.#request;
    const limited = { clock, signal, limits: this.#tools.limits };
    const composed = await (repeats
      ? asItWasSent(channel, repeats.post, limited)
      : composeToSend(channel, this.#claimed, limited));
    if (composed.kind === 'composed') this.#notes = composed.notes;
    return composed;
  }

  async #passGate(post: ComposedPost): Promise<GateVerdict | 'lost'> {
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

  async #send(prepared: ReadyChannel, { post, sendingAt, sendBy }: PassedIntent): Promise<TryResult> {
    const { clock, cutOff: signal } = this.#request;
    const outcome = await prepared.send(post, { clock, sendingAt, sendBy, signal });
    return this.#record(outcome);
  }

  // Its settings have changed since it was sent.
  #notReady({ code, detail }: NotReady) {
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
    return this.#passOver(why, stopping);
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
      {
        outcome: toldAs(outcome),
        code: codeOf(outcome),
        detail: detailOf(outcome) ?? this.#noted(),
        attempts,
        nextAttemptAt,
      },
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

  // What was left out of a post that went out.
  #noted(): string | null {
    return this.#notes.length > 0 ? this.#notes.join('; ') : null;
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
      return stopping;
    }
    return drops ? { kind: 'drop', scope: drops } : { kind: 'go_on' };
  }

  #ended(): EndedTry {
    const { at, clock, tickIntervalMs } = this.#request;
    const now = clock.now();
    const durationMs = now.getTime() - this.#startedAt.getTime();
    const [claimed, destination] = [this.#claimed, this.#destination];
    const [intent, reconciliation] = [this.#intent, this.#reconciliation];
    const notes = this.#noted();
    return { claimed, destination, intent, reconciliation, tickIntervalMs, at, now, durationMs, notes };
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
