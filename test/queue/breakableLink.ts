import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP connection to a store that a test can take away. */
export type BreakableLink = {
  /** The store's URL, by way of the link. */
  url: string;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again. */
  mend(): Promise<void>;
  /** Keeps all connections, and accepts new ones, but lets nothing through any more, either way. */
  swallow(): void;
  /** Ends what hangs, and lets new connections through. */
  spit(): void;
};

export async function openBreakableLink(target: string): Promise<BreakableLink> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  let server = await listen(0);
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(portOf(server));

  async function listen(onPort: number): Promise<Server> {
    const listening = createServer(near => {
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket
          .on('error', () => {})
          .on('close', () => {
            sockets.delete(socket);
            near.destroy();
            far.destroy();
          });
      }
      near.on('data', bytes => isSwallowing || far.write(bytes));
      far.on('data', bytes => isSwallowing || near.write(bytes));
    });
    listening.listen(onPort, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  }

  return {
    url: url.href,
    async cut() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async mend() {
      server = await listen(Number(url.port));
    },
    swallow() {
      isSwallowing = true;
    },
    spit() {
      for (const socket of sockets) socket.destroy();
      isSwallowing = false;
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
