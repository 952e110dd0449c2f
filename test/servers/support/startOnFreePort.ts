import type { Kept } from '../../../scripts/servers/keep.ts';
import { freePort } from '../../faults/support/freePort.ts';
import { becomesReady } from './becomesReady.ts';

export type StartOptions = {
  /** For messages. */
  name: string;
  launch(port: number): Promise<Kept>;
  /** Whether it answers at `url`; an error counts as not yet. */
  isReady(url: string): Promise<boolean>;
  limitMs: number;
};

export type Started = { port: number; url: string; stop(): Promise<void> };

const tries = 3;

/**
 * Starts a server on a port of the loopback and waits until it answers. Somebody else may take the port between
 * our look and its start: one that ends before it answers is started again on another. Throws with what it
 * printed when it does not come up.
 */
export async function startOnFreePort({ name, launch, isReady, limitMs }: StartOptions): Promise<Started> {
  let printed = '';
  for (let left = tries; left > 0; left -= 1) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const server = await launch(port);
    const stop = () => server.stop();
    try {
      if (await becomesReady(server, { isReady: () => isReady(url), limitMs })) return { port, url, stop };
      printed = server.output();
    } catch (error) {
      await stop();
      throw error;
    }
  }
  throw new Error(`${name} ended at its start, ${tries} times; it printed:\n${printed}`);
}
