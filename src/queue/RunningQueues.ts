import { z } from 'zod';
import { QueueConsumer } from './consumer.ts';
import { checkEvictionPolicy } from './evictionPolicy.ts';
import { reconcileSchedules } from './reconcileSchedules.ts';
import { ScheduleReconciler } from './ScheduleReconciler.ts';
import { defaultIngestEveryMs, ingestionTick, publishingTick, queueNames } from './schedule.ts';
import type { QueueStatus, Queues, QueuesOptions } from './startQueues.ts';
import { openQueue } from './store.ts';
import { createStoreErrors } from './storeErrors.ts';
import { withinLimit } from './withinLimit.ts';

/** Sends hold no database connection, so many workspaces publish side by side. */
const publishingConcurrency = 40;
/** One tick reads many feeds side by side by itself. */
const ingestionConcurrency = 1;
const readyLimitMs = 5_000;
const passLimitMs = 120_000;
const closeLimitMs = 1_000;

const publishingPayload = z.object({ workspaceId: z.number().int().positive() });

/** What `startQueues` starts: two queues, their consumers, and the reconciliation that repeats. */
export class RunningQueues implements Queues {
  readonly #options: QueuesOptions;
  readonly #errors;
  readonly #publishing;
  readonly #ingestion;
  readonly #reconciler;
  #consumers: readonly QueueConsumer[] = [];
  #pass: Promise<void> = Promise.resolve();
  #isStoreAccepted = false;
  #isStopped = false;
  #reconciledAt: Date | null = null;
  #problem: string | null = null;

  constructor(options: QueuesOptions) {
    this.#options = options;
    this.#errors = createStoreErrors(options.logger);
    this.#publishing = openQueue(options.store, queueNames.publishing, this.#errors);
    this.#ingestion = openQueue(options.store, queueNames.ingestion, this.#errors);
    this.#reconciler = new ScheduleReconciler({
      reconcile: () => this.reconcile(),
      ...(options.reconcileEveryMs === undefined ? {} : { everyMs: options.reconcileEveryMs }),
    });
  }

  get queues() {
    return [this.#publishing.queue, this.#ingestion.queue];
  }

  /** Creates BullMQ's tables on the PostgreSQL store, and throws if it cannot be reached. */
  async open(): Promise<void> {
    if (this.#options.store.kind !== 'postgres') return;
    await this.#whenReady();
  }

  keepReconciling(): void {
    this.#reconciler.start();
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
      running: this.#consumers.reduce((sum, consumer) => sum + consumer.running, 0),
    };
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    await Promise.all([
      this.#reconciler.stop(Math.max(graceMs, closeLimitMs)),
      ...this.#consumers.map(consumer => consumer.stop(graceMs)),
    ]);
    await Promise.all([this.#publishing.close(closeLimitMs), this.#ingestion.close(closeLimitMs)]);
  }

  async #reconcileOnce() {
    if (this.#isStopped) return;
    try {
      await withinLimit(this.#reconcileQueues(), passLimitMs, 'reconciliation');
      this.#errors.clear();
      this.#reconciledAt = this.#options.clock.now();
      this.#problem = null;
    } catch (error) {
      // Connections that break while they are being closed are no problem of the store.
      if (this.#isStopped) return;
      this.#errors.report(error);
      this.#problem = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  /** No tick is taken from a store, and no scheduler written to it, before it was looked at. */
  async #acceptStore() {
    if (this.#isStoreAccepted) return;
    const { store, isWorker } = this.#options;
    if (store.kind === 'redis') await checkEvictionPolicy(store.url);
    if (isWorker && !this.#isStopped) await this.#consume();
    this.#isStoreAccepted = true;
  }

  async #consume() {
    const { store, jobs, logger } = this.#options;
    const common = { store, logger, errors: this.#errors };
    const consumers = [
      new QueueConsumer({
        ...common,
        name: queueNames.publishing,
        concurrency: publishingConcurrency,
        run: (payload, signal) => jobs.publish(publishingPayload.parse(payload).workspaceId, signal),
      }),
      new QueueConsumer({
        ...common,
        name: queueNames.ingestion,
        concurrency: ingestionConcurrency,
        run: (_payload, signal) => jobs.ingest(signal),
      }),
    ];
    try {
      await Promise.all(consumers.map(consumer => consumer.ready()));
    } catch (error) {
      await Promise.all(consumers.map(consumer => consumer.stop(0)));
      throw error;
    }
    // Stopped meanwhile: stop() has not seen them.
    if (this.#isStopped) {
      await Promise.all(consumers.map(consumer => consumer.stop(0)));
      return;
    }
    this.#consumers = consumers;
    for (const consumer of consumers) consumer.start();
  }

  async #whenReady() {
    const ready = Promise.all(this.queues.map(queue => queue.waitUntilReady()));
    await withinLimit(ready, readyLimitMs, 'connecting to the queue store');
  }

  async #reconcileQueues() {
    await this.#acceptStore();
    await this.#whenReady();
    const { store, withLock, clock, listTicking, ingestEveryMs = defaultIngestEveryMs } = this.#options;
    const ticking = await listTicking();
    const common = { withLock: store.kind === 'postgres' ? withLock : null, now: clock.now() };
    await reconcileSchedules({
      ...common,
      queue: this.#publishing.queue,
      wanted: ticking.map(publishingTick),
    });
    await reconcileSchedules({
      ...common,
      queue: this.#ingestion.queue,
      wanted: [ingestionTick(ingestEveryMs)],
    });
  }
}
