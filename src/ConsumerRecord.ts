import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Database } from './database/Database.ts';
import type { Logger } from './logger.ts';
import { type Consumer, pruneConsumers, recordConsumerSeen, removeConsumer } from './models/consumers.ts';
import { version } from './version.ts';

const keptAfterLastSeenMs = 24 * 3_600_000;
const stopLimitMs = 2_000;

export type ConsumerRecordOptions = {
  db: Database;
  logger: Logger;
  clock: Clock;
  /** Between two entries: several must fit into the time after which a process counts as gone. */
  everyMs: number;
  consumer: Omit<Consumer, 'startedAt'>;
};

/**
 * Keeps this worker process on the list of those that run, for people to look at. Each entry is whole, so that
 * one that was lost with its database, or struck out after a long absence, is there again with the next.
 */
export class ConsumerRecord {
  readonly #options: ConsumerRecordOptions;
  #startedAt: Date | null = null;
  #timer: NodeJS.Timeout | null = null;
  #written: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(options: ConsumerRecordOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timer) return;
    this.#startedAt ??= this.#options.clock.now();
    this.#timer = setInterval(() => this.#enter(), this.#options.everyMs).unref();
    this.#enter();
  }

  /** Stops, and strikes this process out. Bounded: 2 s; what is not struck out then shows as gone later. */
  async stop(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    const { db, consumer } = this.#options;
    const struckOut = this.#written.then(() =>
      this.#write('consumer was not struck out', () => removeConsumer(db, consumer.id)),
    );
    await Promise.race([struckOut, sleep(stopLimitMs, undefined, { ref: false })]);
  }

  #enter(): void {
    // A database that hangs must not be met with a queue of entries when it is back.
    if (this.#isWriting) return;
    const { db, clock, consumer } = this.#options;
    const now = clock.now();
    const startedAt = this.#startedAt ?? now;
    this.#written = this.#write('consumer was not written down', async () => {
      await recordConsumerSeen(db, { ...consumer, startedAt }, now);
      await pruneConsumers(db, new Date(now.getTime() - keptAfterLastSeenMs));
    });
  }

  async #write(failure: string, work: () => Promise<void>): Promise<void> {
    this.#isWriting = true;
    try {
      await work();
    } catch (error) {
      // The next entry says it again; a database that is away shows in readiness by itself.
      this.#options.logger.debug({ err: error }, failure);
    } finally {
      this.#isWriting = false;
    }
  }
}

/** This process as an entry of the list, under an id that no other one has had. */
export function thisConsumer(what: Pick<Consumer, 'role' | 'queues'>): ConsumerRecordOptions['consumer'] {
  return { id: randomUUID(), host: hostname(), pid: process.pid, version, ...what };
}
