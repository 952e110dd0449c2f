import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of what each side says. */
export type Traffic = {
  questions: 'pass' | 'swallow';
  answers: 'pass' | 'swallow';
  delayMs: number;
};

export type LinkOptions = { traffic: () => Traffic; onSwallowed: () => void };

type Direction = 'questions' | 'answers';

/** One client's way through a proxy: its connection to us and ours to the server. */
export class Link {
  readonly closed: Promise<void>;
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #options: LinkOptions;
  #hasHole = false;

  constructor(near: Socket, target: URL, options: LinkOptions) {
    this.#near = near;
    this.#options = options;
    this.#far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    this.#carry(this.#near, this.#far, 'questions');
    this.#carry(this.#far, this.#near, 'answers');
    this.closed = Promise.all([ended(this.#near), ended(this.#far)]).then(() => undefined);
  }

  /** Whether something was swallowed, the end of a connection included. */
  get hasHole(): boolean {
    return this.#hasHole;
  }

  destroy(): void {
    this.#near.destroy();
    this.#far.destroy();
  }

  reset(): void {
    this.#near.resetAndDestroy();
    this.#far.resetAndDestroy();
  }

  #carry(from: Socket, to: Socket, direction: Direction): void {
    // In order, however long each chunk is held back.
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = (pass: () => void) => {
      if (this.#options.traffic()[direction] === 'swallow') {
        this.#hasHole = true;
        this.#options.onSwallowed();
        return;
      }
      const { delayMs } = this.#options.traffic();
      const due = delayMs > 0 ? sleep(delayMs) : null;
      last = last.then(() => due).then(pass);
    };
    from
      .on('data', chunk => inTurn(() => to.writable && to.write(chunk)))
      .on('end', () => inTurn(() => to.end()))
      .on('error', () => {})
      .on('close', () => inTurn(() => to.destroy()));
  }
}

function ended(socket: Socket): Promise<void> {
  return new Promise(resolve => void socket.once('close', () => resolve()));
}
