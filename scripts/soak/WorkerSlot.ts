import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withinLimit } from '../../src/queue/withinLimit.ts';
import type { Fault } from '../../test/faults/support/Fault.ts';
import { openProxy, type TcpProxy } from '../../test/faults/support/proxy.ts';
import { graceMs } from '../../test/faults/support/realTime.ts';
import { startWorker, type Worker } from '../../test/faults/support/worker.ts';

/** What is to become of one process. `attend` is told of it when it has been started. */
export type Life = { faults: readonly Fault[]; attend?: (worker: Worker) => void };

/** How one process ended, what the saboteur did to it, and the last thing that it said. */
export type Death = {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  strikes: readonly string[];
  lastWords: string;
};

export type WorkerSlotOptions = {
  name: string;
  programFolder: string;
  /** Where the log of each process is kept. */
  logFolder: string;
  databaseUrl: string;
  redisUrl: string | null;
};

const restartPauseMs = 50;
/** The grace and five seconds, and a freeze in between. */
const stopLimitMs = graceMs + 15_000;

/**
 * The place of one worker: whatever ends the process in it, the next one is started, as a supervisor does. It
 * has ways of its own to the servers, so that they can be taken away from it alone.
 */
export class WorkerSlot {
  readonly name: string;
  readonly deaths: Death[] = [];
  readonly toPostgres: TcpProxy;
  readonly toRedis: TcpProxy | null;
  /** Asked before each start. Default: an undisturbed life. */
  planLife: () => Life = () => ({ faults: this.#armed.splice(0) });
  readonly #options: WorkerSlotOptions;
  readonly #armed: Fault[] = [];
  #worker: Worker | null = null;
  #hasFaults = false;
  #clockOffsetMs = 0;
  #isClosing = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(options: WorkerSlotOptions, toPostgres: TcpProxy, toRedis: TcpProxy | null) {
    this.#options = options;
    this.name = options.name;
    this.toPostgres = toPostgres;
    this.toRedis = toRedis;
  }

  /** Opens its ways to the servers, and starts the first process. */
  static async open(options: WorkerSlotOptions): Promise<WorkerSlot> {
    const toPostgres = await openProxy(options.databaseUrl);
    const toRedis = options.redisUrl === null ? null : await openProxy(options.redisUrl);
    return new WorkerSlot(options, toPostgres, toRedis);
  }

  /** The process in it now; null: it is just being started again. */
  get worker(): Worker | null {
    return this.#worker?.isRunning ? this.#worker : null;
  }

  start(): void {
    this.#running = this.#liveOnAndOn();
  }

  /** The next process will have this fault. */
  arm(fault: Fault): void {
    this.#armed.push(fault);
  }

  /** Whether a fault is in store for the process that is in it now, or for the next one. */
  get isArmed(): boolean {
    return this.#armed.length > 0 || this.#hasFaults;
  }

  /** Ends the process that is in it now with SIGTERM. Throws when that takes longer than any shutdown may. */
  async replace(): Promise<void> {
    const { worker } = this;
    if (!worker) return;
    worker.thaw();
    await withinLimit(worker.stop(), stopLimitMs, 'a stop').catch(async error => {
      await worker.kill();
      throw error;
    });
  }

  /** Shifts the clock of the process that is in it now, in milliseconds from the real time. */
  async shiftClock(offsetMs: number): Promise<void> {
    if (this.#clockOffsetMs === offsetMs) return;
    this.#clockOffsetMs = offsetMs;
    // It may end before its clock is as it was told.
    await this.worker?.shiftClock(offsetMs).catch(() => undefined);
  }

  /** Mends its ways, and lets a frozen process go on. */
  async mend(): Promise<void> {
    this.worker?.thaw();
    await Promise.all([this.toPostgres.mend(), this.toRedis?.mend()]);
  }

  /** Ends its process, by SIGTERM or at once, for good. */
  async close({ isGraceful }: { isGraceful: boolean }): Promise<void> {
    this.#isClosing = true;
    if (isGraceful) await this.replace();
    else await this.#worker?.kill();
    await this.#running;
    await Promise.all([this.toPostgres.close(), this.toRedis?.close()]);
  }

  /** At once, and without waiting: for the end of this very process. */
  killNow(): void {
    this.worker?.signal('SIGKILL');
  }

  async #liveOnAndOn(): Promise<void> {
    while (!this.#isClosing) {
      const { faults, attend } = this.planLife();
      this.#hasFaults = faults.length > 0;
      this.#clockOffsetMs = 0;
      const { programFolder } = this.#options;
      const urls = { databaseUrl: this.toPostgres.url, redisUrl: this.toRedis?.url ?? null };
      const worker = await startWorker({ programFolder, ...urls, faults, clockOffsetMs: 0 });
      this.#worker = worker;
      if (this.#isClosing) await worker.kill();
      else attend?.(worker);
      const end = await worker.ended();
      this.deaths.push({ ...end, ...(await this.#keepLog(worker)) });
      if (!this.#isClosing) await sleep(restartPauseMs);
    }
  }

  async #keepLog({ stdout, stderr }: Worker): Promise<Pick<Death, 'strikes' | 'lastWords'>> {
    const path = join(this.#options.logFolder, `${this.name}-${this.deaths.length + 1}.log`);
    await writeFile(path, stdout + stderr);
    const lines = stderr.trimEnd().split('\n');
    return { strikes: lines.filter(line => line.startsWith('saboteur: ')), lastWords: lines.at(-1) ?? '' };
  }
}
