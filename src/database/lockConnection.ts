import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { type LockLimits, type LockSession, openLockSession } from './lockSession.ts';

const closeLimitMs = 1_000;

/** One unit of work that this process alone may work on. */
export type UnitLock = {
  readonly unit: string;
  /** Aborted when the lock was lost with its connection: another process may hold the unit now. */
  readonly signal: AbortSignal;
  /** Always call it, after a loss too: until then this process does not take the unit again. */
  release(): Promise<void>;
};

export type UnitLocksOptions = { url: string; logger: Logger; limits?: LockLimits };

/** What has to be done, once all locks were lost, before the first one is taken again. */
export type OnLocksLost = () => Promise<void>;

/**
 * The advisory locks of a process, on one connection that does nothing else: they are free the moment that it
 * closes, so no lease has to be guessed. Opened by the first lock, and again by the next one after a loss.
 */
export class UnitLocks {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #limits: LockLimits;
  // A session can take its own lock twice.
  readonly #taken = new Set<string>();
  #session: Promise<LockSession> | null = null;
  #onLost: OnLocksLost = async () => undefined;
  #afterLoss: Promise<void> | null = null;
  #isClosed = false;

  constructor({ url, logger, limits = defaultLimits }: UnitLocksOptions) {
    this.#url = url;
    this.#logger = logger;
    this.#limits = limits;
  }

  /**
   * Says what to do when the connection is lost, and every lock with it. Units are locked again only when
   * that is done, or after the limit on an answer.
   */
  onLost(act: OnLocksLost): void {
    this.#onLost = act;
  }

  /**
   * Takes the lock of a unit without waiting; null when this process or another one holds it. Throws when
   * the server cannot be asked, and after `close`.
   */
  async tryLock(unit: string): Promise<UnitLock | null> {
    if (this.#taken.has(unit)) return null;
    this.#taken.add(unit);
    try {
      const session = await this.#openSession();
      if (await session.tryLock(unit)) return this.#locked(unit, session);
    } catch (error) {
      this.#taken.delete(unit);
      throw new Error(`the lock of ${unit} could not be asked for: ${messageOf(error)}`, { cause: error });
    }
    this.#taken.delete(unit);
    return null;
  }

  /** Gives up every lock, aborting what still holds one. Bounded by a second. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = this.#session?.then(
      session => session.close(),
      () => undefined,
    );
    await Promise.race([closing, sleep(closeLimitMs, undefined, { ref: false })]);
  }

  #locked(unit: string, session: LockSession): UnitLock {
    // A signal for each lock: one for all would collect the listeners of every unit of a session's life.
    const lost = new AbortController();
    const lose = () => lost.abort(session.lost.reason);
    session.lost.addEventListener('abort', lose, { once: true });
    if (session.lost.aborted) lose();
    let isReleased = false;
    return {
      unit,
      signal: lost.signal,
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        session.lost.removeEventListener('abort', lose);
        await session.unlock(unit);
        this.#taken.delete(unit);
      },
    };
  }

  async #openSession(): Promise<LockSession> {
    if (this.#isClosed) throw new Error('the locks were closed');
    if (this.#afterLoss) {
      await Promise.race([this.#afterLoss, sleep(this.#limits.lockAnswerMs, undefined, { ref: false })]);
    }
    this.#session ??= this.#open();
    return this.#session;
  }

  async #open(): Promise<LockSession> {
    try {
      const session = await openLockSession({ url: this.#url, logger: this.#logger, limits: this.#limits });
      if (session.lost.aborted) this.#lose(session);
      else session.lost.addEventListener('abort', () => this.#lose(session), { once: true });
      if (this.#isClosed) await session.close();
      return session;
    } catch (error) {
      this.#session = null;
      throw error;
    }
  }

  #lose({ lost }: LockSession): void {
    this.#session = null;
    if (this.#isClosed) return;
    const cause = lost.reason instanceof Error ? lost.reason.cause : null;
    this.#logger.warn({ reason: cause ? messageOf(cause) : 'it ended' }, 'lock connection lost');
    const dealing = this.#dealWithLoss().finally(() => {
      if (this.#afterLoss === dealing) this.#afterLoss = null;
    });
    this.#afterLoss = dealing;
  }

  async #dealWithLoss(): Promise<void> {
    // The locks themselves are told in this very turn.
    await null;
    try {
      await this.#onLost();
    } catch (error) {
      this.#logger.error({ err: error }, 'loss of the locks not dealt with');
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
