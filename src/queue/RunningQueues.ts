import { Consumers } from './Consumers.ts';
import { checkEvictionPolicy } from './evictionPolicy.ts';
import { reconcileSchedules } from './reconcileSchedules.ts';
import { ScheduleReconciler } from './ScheduleReconciler.ts';
import {
  enrichmentTick,
  importsTick,
  ingestionTick,
  publishingTick,
  type QueueName,
  queueNames,
  type WantedScheduler,
} from './schedule.ts';
import type { QueueStatus, Queues, QueuesOptions } from './startQueues.ts';
import { type OpenQueue, openQueue } from './store.ts';
import { createStoreErrors } from './storeErrors.ts';
import { withinLimit } from './withinLimit.ts';

const passLimitMs = 120_000;
const closeLimitMs = 1_000;

/** What `startQueues` starts: the queues, their consumers, and the reconciliation that repeats. */
export class RunningQueues implements Queues {
  readonly #options: QueuesOptions;
  readonly #errors;
  readonly #queues: Readonly<Record<QueueName, OpenQueue>>;
  readonly #consumers;
  readonly #reconciler;
  #pass: Promise<void> = Promise.resolve();
  #isStoreAccepted = false;
  #isStopped = false;
  #reconciledAt: Date | null = null;
  #problem: string | null = null;

  constructor(options: QueuesOptions) {
    const { store, limits, logger, health } = options;
    this.#options = options;
    this.#errors = createStoreErrors(logger, {
      // There the store is the database itself.
      isTold: error => store.kind === 'postgres' && health.failed(error),
      // Whatever it is, the next comparison tells whether it is over.
      onError: () => this.#reconciler.hurry(),
    });
    const open = (name: QueueName) => openQueue(store, name, this.#errors, limits);
    this.#queues = {
      publishing: open('publishing'),
      ingestion: open('ingestion'),
      imports: open('imports'),
      enrichment: open('enrichment'),
    };
    this.#consumers = new Consumers({ ...options, errors: this.#errors });
    this.#reconciler = new ScheduleReconciler({
      reconcile: () => this.reconcile(),
      everyMs: limits.reconcileMs,
    });
  }

  get queues() {
    return Object.values(queueNames).map(name => this.#queues[name].queue);
  }

  /** Creates BullMQ's tables on the PostgreSQL store, and throws if it cannot be reached. */
  async open(): Promise<void> {
    if (this.#options.store.kind !== 'postgres') return;
    await this.#whenReady();
  }

  recover(): Promise<void> {
    return this.#consumers.recover();
  }

  keepReconciling(): void {
    if (!this.#isStopped) this.#reconciler.start();
  }

  /** One pass after the other in a process: a caller waits for the one under way and then has its own. */
  reconcile(): Promise<void> {
    const pass = this.#pass.then(() => this.#reconcileOnce());
    this.#pass = pass.catch(() => {});
    return pass;
  }

  status(): QueueStatus {
    return {
      store: this.#options.store.kind,
      reconciledAt: this.#reconciledAt,
      problem: this.#problem,
      running: this.#consumers.running,
    };
  }

  giveBackLost(): Promise<void> {
    return this.#consumers.giveBackLost();
  }

  async drain(graceMs: number): Promise<void> {
    this.#isStopped = true;
    // A pass that is cut short is made again by whoever comes next.
    await Promise.all([this.#reconciler.stop(closeLimitMs), this.#consumers.drain(graceMs)]);
  }

  async close(): Promise<void> {
    if (!this.#isStopped) await this.drain(0);
    const queues = Object.values(queueNames).map(name => this.#queues[name].close(closeLimitMs));
    await Promise.all([this.#consumers.close(), ...queues]);
  }

  async #reconcileOnce() {
    if (this.#isStopped) return;
    try {
      const wanted = await this.#wanted();
      await withinLimit(this.#reconcileQueues(wanted), passLimitMs, 'reconciliation');
      this.#errors.clear();
      // A comparison writes, too.
      if (this.#options.store.kind === 'postgres') this.#options.health.answered({ wrote: true });
      this.#reconciledAt = this.#options.clock.now();
      this.#problem = null;
    } catch (error) {
      // Connections that break while they are being closed are no problem of the store.
      if (this.#isStopped) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  /** What PostgreSQL says: where it cannot be asked, the store is not to blame. */
  async #wanted(): Promise<Wanted> {
    const { listTicking, ingestEveryMs, health, logger } = this.#options;
    try {
      const ticking = await listTicking();
      health.answered();
      return {
        publishing: ticking.map(publishingTick),
        ingestion: [ingestionTick(ingestEveryMs)],
        imports: [importsTick],
        enrichment: [enrichmentTick],
      };
    } catch (error) {
      if (!health.failed(error)) logger.error({ err: error }, 'workspaces not listed');
      throw error;
    }
  }

  async #reconcileQueues(wanted: Wanted) {
    try {
      await this.#acceptStore();
      await this.#whenReady();
      const { store, withLock, clock } = this.#options;
      for (const name of Object.values(queueNames)) {
        await reconcileSchedules({
          queue: this.#queues[name].queue,
          wanted: wanted[name],
          withLock: store.kind === 'postgres' ? withLock : null,
          now: clock.now(),
        });
      }
    } catch (error) {
      if (!this.#isStopped) this.#errors.report(error);
      throw error;
    }
  }

  /** No tick is taken from a store, and no scheduler written to it, before it was looked at. */
  async #acceptStore() {
    if (this.#isStoreAccepted) return;
    const { store, isWorker, limits } = this.#options;
    if (store.kind === 'redis') await checkEvictionPolicy(store.url, limits.queueAnswerMs);
    if (isWorker) await this.#consumers.start();
    this.#isStoreAccepted = true;
  }

  async #whenReady() {
    const ready = Promise.all(this.queues.map(queue => queue.waitUntilReady()));
    await withinLimit(ready, this.#options.limits.queueAnswerMs, 'connecting to the queue store');
  }
}

type Wanted = Readonly<Record<QueueName, readonly WantedScheduler[]>>;
