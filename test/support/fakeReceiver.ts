import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { until } from './until.ts';

export type ReceivedRequest = {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** As UTF-8; `bytes` as they came. */
  body: string;
  bytes: Buffer;
};

/** What the receiver does once it has read a whole request (the last two: before that). */
export type Behaviour =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string | Buffer }
  | { kind: 'never_answer' }
  | { kind: 'reset' }
  | { kind: 'close' }
  | { kind: 'cut_answer'; status: number }
  | { kind: 'garbage' }
  /** Headers at once, then a byte every few milliseconds, for ever. */
  | { kind: 'drip' }
  /** Answers with 200 when `release()` is called. */
  | { kind: 'hold' }
  /** Accepts and reads nothing: with https, a handshake that never ends. */
  | { kind: 'ignore_connection' }
  /** Sends plain text as soon as it is connected: with https, a handshake that fails. */
  | { kind: 'greet' };

export type FakeReceiver = {
  url: string;
  port: number;
  requests: readonly ReceivedRequest[];
  connections(): number;
  behave(behaviour: Behaviour | ((request: ReceivedRequest) => Behaviour)): void;
  /** Resolves when `count` requests were read; rejects after a limit. */
  received(count: number): Promise<void>;
  /** Resolves when `count` connections were accepted and all are closed: nothing more can arrive on them. */
  closed(count: number): Promise<void>;
  /** Answers what is on hold. */
  release(): void;
  close(): Promise<void>;
};

const dripEveryMs = 10;

/** A server on a raw socket, so that it can break the protocol at each point. Default: 200, empty. */
export async function openFakeReceiver(): Promise<FakeReceiver> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  let connections = 0;
  let choose: (request: ReceivedRequest) => Behaviour = () => ({ kind: 'answer', status: 200 });
  let onConnect: 'read' | 'ignore_connection' | 'greet' = 'read';

  const server: Server = createServer(socket => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    if (onConnect === 'greet') socket.end('220 this is not TLS\r\n');
    if (onConnect !== 'read') return;

    let read = Buffer.alloc(0);
    socket.on('data', chunk => {
      read = Buffer.concat([read, chunk]);
      const request = parseRequest(read);
      if (request === null) return;
      read = Buffer.alloc(0);
      requests.push(request);
      const behaviour = choose(request);
      if (behaviour.kind === 'hold') held.add(socket);
      perform(behaviour, socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    behave(behaviour) {
      choose = typeof behaviour === 'function' ? behaviour : () => behaviour;
      onConnect = 'read';
      if (typeof behaviour === 'function') return;
      if (behaviour.kind === 'ignore_connection' || behaviour.kind === 'greet') onConnect = behaviour.kind;
    },
    async received(count) {
      await until(() => requests.length >= count, { intervalMs: 5 });
    },
    async closed(count) {
      await until(() => connections >= count && sockets.size === 0, { intervalMs: 5 });
    },
    release() {
      for (const socket of held) perform({ kind: 'answer', status: 200 }, socket);
      held.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function parseRequest(read: Buffer): ReceivedRequest | null {
  const headEnd = read.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [start = '', ...lines] = read.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(lines.map(line => headerOf(line)));
  const body = read.subarray(headEnd + 4);
  if (body.length < Number(headers['content-length'] ?? 0)) return null;
  const [method = '', path = ''] = start.split(' ');
  return { method, path, headers, body: body.toString('utf8'), bytes: body };
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function perform(behaviour: Behaviour, socket: Socket): void {
  switch (behaviour.kind) {
    case 'answer': {
      const body = Buffer.from(behaviour.body ?? '');
      const headers = { 'Content-Length': String(body.length), ...behaviour.headers };
      socket.write(head(behaviour.status, headers));
      socket.end(body);
      return;
    }
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'close':
      socket.end();
      return;
    case 'cut_answer':
      socket.end(`${head(behaviour.status, { 'Content-Length': '1000' })}only the beginn`);
      return;
    case 'garbage':
      socket.end('\u0000\u0001 this is not HTTP\r\n\r\n');
      return;
    case 'drip': {
      socket.write(head(200, { 'Content-Length': '1000000' }));
      const timer = setInterval(() => socket.write('x'), dripEveryMs);
      socket.on('close', () => clearInterval(timer));
      return;
    }
    case 'never_answer':
    case 'hold':
    case 'ignore_connection':
    case 'greet':
      return;
    default:
      behaviour satisfies never;
  }
}

function head(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`;
}
