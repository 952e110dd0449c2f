import type { Job } from 'bullmq';
import type { DatabaseHealth } from '../database/DatabaseHealth.ts';
import type { Logger } from '../logger.ts';
import { type OpenWorker, openWorker, type QueueStore, type StoreLimits } from './store.ts';
import type { StoreErrors } from './storeErrors.ts';
import { withinLimit } from './withinLimit.ts';

/** One tick. What it returns is the job's return value: Bull Board shows it. */
export type RunTick = (payload: unknown, signal: AbortSignal) => Promise<unknown>;

export type QueueConsumerOptions = {
  store: QueueStore;
  name: string;
  /** Ticks side by side in this process. */
  concurrency: number;
  run: RunTick;
  limits: StoreLimits;
  health: DatabaseHealth;
  errors: StoreErrors;
  logger: Logger;
};

const maxStartedAttempts = 3;
/** How soon a store that was away is asked again; BullMQ's own 15 s are three ticks of a fast workspace. */
const runRetryDelayMs = 1_000;
/** How long the results of ticks that have ended may take to be stored. */
const storingLimitMs = 1_000;
const closeLimitMs = 1_000;

const stopped = { outcome: 'idle', reason: 'stopping' };

/**
 * Takes the ticks of one queue. BullMQ may deliver a tick twice, late, or after an hour: whoever runs it
 * looks at the clock and at the database, never at the job. A tick is never retried, the next slot comes.
 */
export class QueueConsumer {
  readonly #open: OpenWorker;
  readonly #options: QueueConsumerOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #pausing: Promise<void> | null = null;
  #isIdle = false;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
    const { store, name, concurrency, errors, limits } = options;
    this.#open = openWorker({
      store,
      name,
      // BullMQ makes an abort signal only for a function that declares three parameters.
      processor: (job: Job, _token?: string, signal?: AbortSignal) => this.#process(job, signal),
      // A tick that kills its process would be given out again for ever: BullMQ exempts the ticks of
      // schedulers from its limit on stalled jobs, not from this one.
      options: {
        concurrency,
        lockDuration: limits.queueStalledMs,
        stalledInterval: limits.queueStalledMs,
        maxStartedAttempts,
        runRetryDelay: runRetryDelayMs,
      },
      limits,
      errors,
    });
    this.#open.worker.on('failed', (job, error) => {
      if (error.name === 'UnrecoverableError') this.#logFailure('tick given up', job, error);
    });
  }

  /** How many ticks run in this process now. */
  get running() {
    return this.#running.size;
  }

  /**
   * Resolves once the store answered this consumer. BullMQ remembers a first connection that failed, and a
   * worker that runs on it spins and blocks the process: such a consumer is to be stopped, never started.
   */
  async ready(): Promise<void> {
    const { limits } = this.#options;
    const what = 'connecting a worker to the store';
    await withinLimit(this.#open.worker.waitUntilReady(), limits.queueAnswerMs, what);
  }

  /** Begins to take ticks, and goes on when a store that was away is back. */
  start(): void {
    this.#open.worker.run().catch(this.#options.errors.report);
  }

  /** Takes no further tick and aborts those that run; waits for nothing. */
  stopClaiming(): void {
    if (this.#pausing) return;
    this.#stopping.abort(new Error('stopping'));
    // Not `close()`: once it waits for a job or for a store that is gone, `close(true)` waits with it.
    this.#pausing = this.#open.worker.pause();
    this.#pausing.catch(this.#options.errors.report);
  }

  /**
   * Stops claiming, and waits at most `graceMs` for the ticks that run, then a second for their results to be
   * stored. A tick whose result was not stored stalls and is given out again, which it must bear anyway.
   */
  async drain(graceMs: number): Promise<void> {
    this.stopClaiming();
    // Not for the store: one that is gone would take up the grace, though nothing runs.
    await this.#settles(Promise.allSettled(this.#running), graceMs, 'running ticks');
    const paused = this.#pausing ?? Promise.resolve();
    this.#isIdle = await this.#settles(paused, storingLimitMs, 'storing results');
  }

  /** Closes the connections, by force where the store does not answer; returns within a second. */
  async close(): Promise<void> {
    const { worker, disconnect } = this.#open;
    await this.#settles(worker.close(!this.#isIdle), closeLimitMs, 'closing the worker');
    disconnect();
  }

  async #process(job: Job, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal === undefined) {
      const error = new Error(`tick ${job.id} came without an abort signal`);
      this.#logFailure('tick failed', job, error);
      throw error;
    }
    // It was already on its way when the consumer stopped.
    if (this.#stopping.signal.aborted) return stopped;
    const tick = this.#options.run(job.data, AbortSignal.any([signal, this.#stopping.signal]));
    this.#running.add(tick);
    try {
      const result = await tick;
      this.#options.health.answered();
      return result;
    } catch (error) {
      if (!this.#options.health.failed(error)) this.#logFailure('tick failed', job, error);
      throw error;
    } finally {
      this.#running.delete(tick);
    }
  }

  async #settles(work: Promise<unknown>, limitMs: number, what: string): Promise<boolean> {
    try {
      await withinLimit(work, limitMs, what);
      return true;
    } catch (error) {
      this.#options.logger.warn(
        { queue: this.#options.name, err: error },
        'queue consumer not stopped in time',
      );
      return false;
    }
  }

  #logFailure(event: string, job: Job | undefined, error: unknown) {
    const { name, logger } = this.#options;
    logger.error({ queue: name, jobId: job?.id, payload: job?.data, err: error }, event);
  }
}
