import { Worker } from 'node:worker_threads';
import { parserEntry } from './parserEntry.ts';
import type { ParserReply } from './parserWorker.ts';
import type { DocumentReading, FeedDocument, ReadOptions } from './readDocument.ts';

export type ParserThreadOptions = {
  /** For one document, from when the thread is ready for it. */
  parseMs: number;
  /** Of the thread's heap. */
  maxHeapMb: number;
};

type Answer = ParserReply | { kind: 'died'; error: unknown } | { kind: 'cut_off' };

/** For a start, on the slowest of machines. */
const startMs = 30_000;

/**
 * One thread that reads one document at a time. It is started by the first, kept for the next ones, and ended
 * when a document takes too long or too much memory; the next document has a new one.
 *
 * The limit on a thread's memory stops what grows piece by piece. A single huge allocation beyond it still ends
 * the whole process: that is why documents are measured before they are taken apart (measureXml, jsonExcess), and
 * this limit is for what the measure does not foresee.
 */
export class ParserThread {
  readonly #options: ParserThreadOptions;
  #worker: Worker | null = null;
  #settle: (answer: Answer) => void = () => undefined;

  constructor(options: ParserThreadOptions) {
    this.#options = options;
  }

  /** Expects that the one before has ended. Throws when no thread can be started, and what the parser throws. */
  async read(document: FeedDocument, { signal }: ReadOptions): Promise<DocumentReading> {
    const worker = this.#worker ?? (await this.#start());
    // The process does not end in the middle of a document, and does not stay for an idle thread.
    worker.ref();
    const answer = await this.#nextAnswer(this.#options.parseMs, signal, () => give(worker, document));
    worker.unref();
    switch (answer.kind) {
      case 'read':
        return answer.reading;
      case 'died':
        return unreadable(this.#describeDeath(answer.error));
      case 'cut_off':
        await this.stop();
        return unreadable(signal.aborted ? 'the reading was cut off' : this.#describeDelay());
      case 'fault':
        throw answer.error;
      case 'ready':
        throw new Error('the thread that reads feeds answered out of turn');
      default:
        return answer satisfies never;
    }
  }

  /** Ends the thread; what it reads is `unreadable`. */
  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #start(): Promise<Worker> {
    const limits = { maxOldGenerationSizeMb: this.#options.maxHeapMb };
    const worker = new Worker(parserEntry(), { execArgv: [], resourceLimits: limits });
    this.#worker = worker;
    worker.on('message', (reply: ParserReply) => this.#settle(reply));
    worker.on('error', error => this.#settle({ kind: 'died', error }));
    worker.on('exit', () => {
      this.#worker = null;
      this.#settle({ kind: 'died', error: null });
    });
    const answer = await this.#nextAnswer(startMs, new AbortController().signal);
    if (answer.kind === 'ready') return worker;
    await worker.terminate();
    const cause = 'error' in answer ? answer.error : answer.kind;
    throw new Error('the thread that reads feeds could not be started', { cause });
  }

  async #nextAnswer(limitMs: number, signal: AbortSignal, begin = () => {}): Promise<Answer> {
    const cutOff = () => this.#settle({ kind: 'cut_off' });
    const timer = setTimeout(cutOff, limitMs);
    signal.addEventListener('abort', cutOff, { once: true });
    try {
      return await new Promise<Answer>(resolve => {
        this.#settle = resolve;
        if (signal.aborted) cutOff();
        else begin();
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cutOff);
    }
  }

  #describeDeath(error: unknown): string {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return 'the document ended the thread that read it';
    return `reading the document takes more than ${this.#options.maxHeapMb} MB of memory`;
  }

  #describeDelay(): string {
    return `reading the document takes more than ${this.#options.parseMs} ms (HEADWAY_LIMIT_PARSE)`;
  }
}

function give(worker: Worker, document: FeedDocument): void {
  // A copy, to be handed over: a small body shares its memory with others.
  const bytes = new Uint8Array(document.bytes);
  worker.postMessage({ ...document, bytes }, [bytes.buffer]);
}

function unreadable(detail: string): DocumentReading {
  return { kind: 'unreadable', detail };
}
