import { ParserThread, type ParserThreadOptions } from './ParserThread.ts';
import type { ReadDocument } from './readDocument.ts';

export type FeedParserOptions = Pick<ParserThreadOptions, 'parseMs'> & {
  /** Of each thread. Default 256: twice what the largest feed takes. */
  maxHeapMb?: number;
  /** Default 2, so that others are read beside a document that takes its whole time. */
  threads?: number;
};

/**
 * Reads documents in threads of their own, so that none of them holds up or ends the process. They wait for a
 * thread in their order; the time limit of each begins with its turn.
 */
export class FeedParser {
  readonly #threads: readonly ParserThread[];
  readonly #idle: ParserThread[];
  readonly #waiting = new Set<(thread: ParserThread | null) => void>();
  #isStopped = false;

  constructor({ parseMs, maxHeapMb = 256, threads = 2 }: FeedParserOptions) {
    this.#threads = Array.from({ length: threads }, () => new ParserThread({ parseMs, maxHeapMb }));
    this.#idle = [...this.#threads];
  }

  readonly read: ReadDocument = async (document, options) => {
    const thread = await this.#take(options.signal);
    if (thread === null) return { kind: 'unreadable', detail: 'the reading was cut off' };
    try {
      return await thread.read(document, options);
    } finally {
      this.#putBack(thread);
    }
  };

  /** Ends all threads; what is being read, waits or comes later is `unreadable`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const give of this.#waiting) give(null);
    await Promise.all(this.#threads.map(thread => thread.stop()));
  }

  async #take(signal: AbortSignal): Promise<ParserThread | null> {
    if (this.#isStopped || signal.aborted) return null;
    // The last one back: it is warm.
    const idle = this.#idle.pop();
    if (idle) return idle;
    return new Promise(resolve => {
      const leave = () => give(null);
      const give = (thread: ParserThread | null) => {
        this.#waiting.delete(give);
        signal.removeEventListener('abort', leave);
        resolve(thread);
      };
      this.#waiting.add(give);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #putBack(thread: ParserThread): void {
    const [next] = this.#waiting;
    if (next) next(thread);
    else this.#idle.push(thread);
  }
}
