import type { Clock } from '../clock.ts';
import type { DatabaseHealth } from '../database/DatabaseHealth.ts';
import { holdOn } from '../database/holdOn.ts';
import type { Logger } from '../logger.ts';
import type { UnitConsumer } from '../unitConsumer.ts';
import { QueueConsumer, type QueueConsumerOptions, type RunTick } from './consumer.ts';
import { type QueueTasks, runTick } from './queueTasks.ts';
import { concurrency, type QueueName, queueNames } from './schedule.ts';
import { withinLimit } from './withinLimit.ts';

export type ConsumersOptions = Pick<QueueConsumerOptions, 'store' | 'limits' | 'errors'> & {
  tasks: QueueTasks;
  health: DatabaseHealth;
  clock: Clock;
  logger: Logger;
};

type Task = { name: QueueName; run: RunTick; consumer: UnitConsumer };

/**
 * The rules that hold for every queue, whatever it carries: what dead processes left in flight is recovered
 * before the first claim; what is claimed and not begun is given back when the process stops, and when it
 * loses its locks; what has begun is waited for.
 */
export class Consumers {
  readonly #options: ConsumersOptions;
  readonly #tasks: readonly Task[];
  readonly #stopping = new AbortController();
  #taking: readonly QueueConsumer[] = [];

  constructor(options: ConsumersOptions) {
    this.#options = options;
    this.#tasks = tasksOf(options.tasks);
  }

  /** How many ticks run in this process now. */
  get running(): number {
    return this.#taking.reduce((sum, consumer) => sum + consumer.running, 0);
  }

  /** Once, before the first claim; waits for a database that is away. */
  async recover(): Promise<void> {
    const { health, clock, logger } = this.#options;
    const { signal } = this.#stopping;
    // Each tick recovers its own unit as well: a fault in here must not stop everything for good.
    await this.#eachTask('recovery failed', async ({ name, consumer }) => {
      const recover = () => consumer.recover({ now: clock.now(), signal });
      const recovered = await holdOn(recover, { health, signal }).catch(unless(signal));
      if (recovered) logger.warn({ queue: name, recovered }, 'work of ended processes recovered');
    });
  }

  /** Begins to take ticks. Throws when the store does not answer, and may then be called again. */
  async start(): Promise<void> {
    if (this.#taking.length > 0 || this.#stopping.signal.aborted) return;
    const consumers = this.#tasks.map(task => this.#open(task));
    try {
      await Promise.all(consumers.map(consumer => consumer.ready()));
    } catch (error) {
      await stop(consumers);
      throw error;
    }
    // Stopped meanwhile: drain() has not seen them.
    if (this.#stopping.signal.aborted) return stop(consumers);
    this.#taking = consumers;
    for (const consumer of consumers) consumer.start();
  }

  /**
   * Gives back what was claimed and not begun, after the locks were lost: as often as it takes, since the
   * database is likely to be away for the same reason. Ends with the stop of the process.
   */
  async giveBackLost(): Promise<void> {
    const { health } = this.#options;
    await this.#eachTask('claims not given back', async ({ name, consumer }) => {
      const signal = this.#stopping.signal;
      await holdOn(() => this.#giveBack(name, consumer), { health, signal }).catch(unless(signal));
    });
  }

  /**
   * Takes no further tick, aborts those that run, gives back at once what they had not begun, and waits up to
   * `graceMs` for what they had. A database that is away costs no more than that.
   */
  async drain(graceMs: number): Promise<void> {
    this.#stopping.abort(new Error('stopping'));
    for (const consumer of this.#taking) consumer.stopClaiming();
    const limitMs = Math.min(graceMs, giveBackLimitMs);
    const givingBack = this.#eachTask('claims not given back', async ({ name, consumer }) => {
      await withinLimit(this.#giveBack(name, consumer), limitMs, 'giving claims back');
    });
    await Promise.all([givingBack, ...this.#taking.map(consumer => consumer.drain(graceMs))]);
  }

  /** Closes the connections, by force where the store does not answer; returns within a second. */
  async close(): Promise<void> {
    await Promise.all(this.#taking.map(consumer => consumer.close()));
  }

  async #giveBack(name: QueueName, consumer: UnitConsumer): Promise<void> {
    const givenBack = await consumer.giveBack(this.#options.clock.now());
    if (givenBack > 0) this.#options.logger.info({ queue: name, givenBack }, 'claims given back');
  }

  async #eachTask(complaint: string, work: (task: Task) => Promise<void>): Promise<void> {
    const { health, logger } = this.#options;
    const done = this.#tasks.map(async task => {
      try {
        await work(task);
      } catch (error) {
        if (!health.failed(error)) logger.error({ queue: task.name, err: error }, complaint);
      }
    });
    await Promise.all(done);
  }

  #open({ name, run }: Task): QueueConsumer {
    return new QueueConsumer({ ...this.#options, name, concurrency: concurrency[name], run });
  }
}

const giveBackLimitMs = 2_000;

function tasksOf(tasks: QueueTasks): Task[] {
  return Object.values(queueNames).map(name => {
    return { name, run: runTick(name, tasks[name]), consumer: tasks[name].consumer };
  });
}

async function stop(consumers: readonly QueueConsumer[]): Promise<void> {
  await Promise.all(consumers.map(consumer => consumer.drain(0)));
  await Promise.all(consumers.map(consumer => consumer.close()));
}

/** A catch that lets pass what the signal caused. */
function unless(signal: AbortSignal) {
  return (error: unknown): void => {
    if (!signal.aborted) throw error;
  };
}
