import type { Job } from 'bullmq';
import type { Logger } from '../logger.ts';
import { type OpenWorker, openWorker, type QueueStore } from './store.ts';
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
  errors: StoreErrors;
  logger: Logger;
};

const lockDurationMs = 30_000;
const maxStartedAttempts = 3;
const readyLimitMs = 5_000;
/** How soon a store that was away is asked again; BullMQ's own 15 s are three ticks of a fast workspace. */
const runRetryDelayMs = 1_000;
const closeLimitMs = 1_000;

/**
 * Takes the ticks of one queue. BullMQ may deliver a tick twice, late, or after an hour: whoever runs it
 * looks at the clock and at the database, never at the job. A tick is never retried, the next slot comes.
 */
export class QueueConsumer {
  readonly #open: OpenWorker;
  readonly #options: QueueConsumerOptions;
  readonly #stopping = new AbortController();
  #running = 0;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
    const { store, name, concurrency, errors } = options;
    this.#open = openWorker({
      store,
      name,
      // BullMQ makes an abort signal only for a function that declares three parameters.
      processor: (job: Job, _token?: string, signal?: AbortSignal) => this.#process(job, signal),
      // A tick that kills its process would be given out again for ever: BullMQ exempts the ticks of
      // schedulers from its limit on stalled jobs, not from this one.
      options: {
        concurrency,
        lockDuration: lockDurationMs,
        maxStartedAttempts,
        runRetryDelay: runRetryDelayMs,
      },
      errors,
    });
    this.#open.worker.on('failed', (job, error) => {
      if (error.name === 'UnrecoverableError') this.#logFailure('tick given up', job, error);
    });
  }

  /** How many ticks run in this process now. */
  get running() {
    return this.#running;
  }

  /**
   * Resolves once the store answered this consumer. BullMQ remembers a first connection that failed, and a
   * worker that runs on it spins and blocks the process: such a consumer is to be stopped, never started.
   */
  async ready(): Promise<void> {
    await withinLimit(this.#open.worker.waitUntilReady(), readyLimitMs, 'connecting a worker to the store');
  }

  /** Begins to take ticks, and goes on when a store that was away is back. */
  start(): void {
    this.#open.worker.run().catch(this.#options.errors.report);
  }

  /**
   * Takes no further tick, aborts those that run, and waits for them and for their results to be stored,
   * at most `graceMs`; then closes by force. Returns within a second after that, whatever is down: a tick
   * whose result was not stored stalls and is given out again, which it must bear anyway.
   */
  async stop(graceMs: number): Promise<void> {
    const { worker, disconnect } = this.#open;
    this.#stopping.abort(new Error('stopping'));
    // Not `close()`: once it waits for a job or for a store that is gone, `close(true)` waits with it.
    const isIdle = await this.#settles(worker.pause(), graceMs, 'running ticks');
    await this.#settles(worker.close(!isIdle), closeLimitMs, 'closing the worker');
    disconnect();
  }

  async #process(job: Job, signal: AbortSignal | undefined) {
    if (signal === undefined) throw new Error(`tick ${job.id} came without an abort signal`);
    this.#running += 1;
    try {
      // A tick that was already on its way when the consumer stopped starts aborted.
      return await this.#options.run(job.data, AbortSignal.any([signal, this.#stopping.signal]));
    } catch (error) {
      this.#logFailure('tick failed', job, error);
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  async #settles(work: Promise<unknown>, limitMs: number, what: string) {
    try {
      await withinLimit(work, limitMs, what);
      return true;
    } catch (error) {
      this.#options.logger.warn({ queue: this.#options.name, err: error }, 'queue consumer closed by force');
      return false;
    }
  }

  #logFailure(event: string, job: Job | undefined, error: unknown) {
    const { name, logger } = this.#options;
    logger.error({ queue: name, jobId: job?.id, payload: job?.data, err: error }, event);
  }
}
