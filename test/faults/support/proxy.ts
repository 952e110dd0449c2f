import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Link, type Traffic } from './link.ts';

/** A TCP connection to a server that a test can take away, in each of the ways in which networks do. */
export type TcpProxy = {
  /** The server's URL, by way of the proxy. */
  readonly url: string;
  /** How many clients are connected. */
  connections(): number;
  /** How many chunks, and ends of connections, were swallowed so far. */
  swallowed(): number;
  /** Ends all connections and refuses new ones. */
  drop(): Promise<void>;
  /** Resets the live connections, and goes on accepting. */
  reset(): void;
  /** Swallows what both sides say, without closing; new connections are accepted and swallowed too. */
  halfOpen(): void;
  /** Passes on what clients say and swallows what the server answers. */
  swallowAnswers(): void;
  /** Swallows what clients say; what the server is still sending passes. */
  swallowQuestions(): void;
  /** Holds back every chunk for so long. */
  delay(delayMs: number): void;
  /** Works again, on the same port. Connections that lost something are reset: their streams have a hole. */
  mend(): Promise<void>;
  close(): Promise<void>;
};

const whole: Traffic = { questions: 'pass', answers: 'pass', delayMs: 0 };

/** Opens a proxy in front of the server of `targetUrl` (PostgreSQL, Redis, a publisher), on a port of its own. */
export async function openProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const links = new Set<Link>();
  let traffic = whole;
  let swallowed = 0;
  let server = await listen(0);
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(portOf(server));

  async function listen(port: number): Promise<Server> {
    const listening = createServer({ allowHalfOpen: true }, near => {
      const link = new Link(near, target, {
        traffic: () => traffic,
        onSwallowed: () => {
          swallowed += 1;
        },
      });
      links.add(link);
      link.closed.then(() => links.delete(link));
    });
    listening.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  }

  async function drop(): Promise<void> {
    const closed = server.listening ? once(server, 'close') : null;
    server.close();
    for (const link of links) link.destroy();
    await closed;
  }

  return {
    url: url.href,
    connections: () => links.size,
    swallowed: () => swallowed,
    drop,
    reset() {
      for (const link of links) link.reset();
    },
    halfOpen() {
      traffic = { ...whole, questions: 'swallow', answers: 'swallow' };
    },
    swallowAnswers() {
      traffic = { ...whole, answers: 'swallow' };
    },
    swallowQuestions() {
      traffic = { ...whole, questions: 'swallow' };
    },
    delay(delayMs) {
      traffic = { ...whole, delayMs };
    },
    async mend() {
      traffic = whole;
      for (const link of links) if (link.hasHole) link.reset();
      if (!server.listening) server = await listen(Number(url.port));
    },
    close: drop,
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
