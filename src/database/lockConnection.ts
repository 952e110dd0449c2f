import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { type LockSession, openLockSession } from './lockSession.ts';

const closeLimitMs = 2_000;

/** One unit of work that this process alone may work on. */
export type UnitLock = {
  readonly unit: string;
  /** Aborted when the lock was lost with its connection: another process may hold the unit now. */
  readonly signal: AbortSignal;
  /** Always call it, after a loss too: until then this process does not take the unit again. */
  release(): Promise<void>;
};

export type UnitLocksOptions = {
  url: string;
  logger: Logger;
  /** How often the server is asked something, well within its session time-out. Default 20 s. */
  askEveryMs?: number;
  /** After how long without a question the server ends the session, and frees its locks. Default 2 min. */
  idleTimeoutMs?: number;
};

/**
 * The advisory locks of a process, on one connection that does nothing else: they are free the moment that it
 * closes, so no lease has to be guessed. Opened by the first lock, and again by the next one after a loss.
 */
export class UnitLocks {
  readonly #options: Required<UnitLocksOptions>;
  // A session can take its own lock twice.
  readonly #taken = new Set<string>();
  #session: Promise<LockSession> | null = null;
  #isClosed = false;

  constructor({ url, logger, askEveryMs = 20_000, idleTimeoutMs = 120_000 }: UnitLocksOptions) {
    this.#options = { url, logger, askEveryMs, idleTimeoutMs };
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

  /** Gives up every lock, aborting what still holds one. Bounded: 2 s for each of its two waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#session?.catch(() => null);
    const session = await Promise.race([opening, sleep(closeLimitMs, null, { ref: false })]);
    await session?.close();
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

  #openSession(): Promise<LockSession> {
    if (this.#isClosed) throw new Error('the locks were closed');
    this.#session ??= this.#open();
    return this.#session;
  }

  async #open(): Promise<LockSession> {
    try {
      const session = await openLockSession(this.#options);
      const forget = () => {
        this.#session = null;
      };
      if (session.lost.aborted) forget();
      if (this.#isClosed) await session.close();
      session.lost.addEventListener('abort', forget, { once: true });
      return session;
    } catch (error) {
      this.#session = null;
      throw error;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
