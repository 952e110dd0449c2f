import { once } from 'node:events';
import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

/** A server at the other end of a WebSocket, which does with each message what a test says. */
export type FakeRelay = {
  /** `ws://…` */
  url: string;
  /** Every message so far. */
  received: readonly string[];
  /** How many connections are open. */
  connections(): number;
  close(): Promise<void>;
};

export type FakeRelayOptions = {
  onConnect?: (socket: WebSocket) => void;
  onMessage?: (socket: WebSocket, text: string) => void;
  /** Of itself, asked by HTTP (NIP-11). Default: it is not found. */
  document?: unknown;
};

/** Opens one that accepts every connection and, unless it is told otherwise, says nothing. */
export async function openFakeRelay({
  onConnect,
  onMessage,
  document,
}: FakeRelayOptions = {}): Promise<FakeRelay> {
  const received: string[] = [];
  const server = createServer(({ headers }, answer) => {
    const isKnown = document !== undefined && headers.accept === 'application/nostr+json';
    answer.writeHead(isKnown ? 200 : 404).end(isKnown ? JSON.stringify(document) : 'not here');
  });
  const webSockets = new WebSocketServer({ server });
  webSockets.on('connection', socket => {
    onConnect?.(socket);
    socket.on('error', () => {});
    socket.on('message', text => {
      received.push(String(text));
      onMessage?.(socket, String(text));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    url: `ws://127.0.0.1:${port}`,
    received,
    connections: () => webSockets.clients.size,
    async close() {
      for (const socket of webSockets.clients) socket.terminate();
      webSockets.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
