import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** A request by its line, such as `POST /api/v1/statuses`. */
export type RequestLine = { method: string; path: string };

/** An HTTP server's stand-in that can lose an answer after the server has carried out the request. */
export type LossyProxy = {
  /** The server's URL, by way of the proxy. */
  readonly url: string;
  /** How many answers were lost so far. */
  lost(): number;
  /** Loses the answers of requests that match from now on: the client's connection is reset instead. */
  loseAnswers(matches: (request: RequestLine) => boolean): void;
  /** Passes on every answer again. */
  mend(): void;
  close(): Promise<void>;
};

/**
 * Opens it in front of the server of `targetUrl`. It differs from the TCP proxy of the fault tests in that it knows
 * requests: a channel that logs in or looks up first still gets those answers, and the one of its post is lost
 * after the server has given it, which is to say after the post was stored. `port` 0: any that is free.
 */
export async function openLossyProxy(targetUrl: string, { port = 0 } = {}): Promise<LossyProxy> {
  const target = new URL(targetUrl);
  let isLost: (line: RequestLine) => boolean = () => false;
  let lost = 0;

  async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const line = { method: asked.method ?? '', path: asked.url ?? '' };
    const { method, headers } = asked;
    const passed = request(new URL(line.path, target), {
      // A connection that is kept may be closed by the server just then.
      agent: false,
      ...(method === undefined ? {} : { method }),
      headers,
    });
    const answered = once(passed, 'response');
    await Promise.all([pipeline(asked, passed), answered]);
    const [given]: IncomingMessage[] = await answered;
    if (given === undefined) return;
    if (isLost(line)) {
      for await (const _ of given);
      lost += 1;
      asked.socket.resetAndDestroy();
      return;
    }
    answer.writeHead(given.statusCode ?? 502, given.rawHeaders);
    await pipeline(given, answer);
  }

  const server = createServer((asked, answer) => {
    // The server is gone, or the client: so is the connection between them.
    pass(asked, answer).catch(() => asked.socket.resetAndDestroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);

  return {
    url: url.href.replace(/\/$/, ''),
    lost: () => lost,
    loseAnswers(matches) {
      isLost = matches;
    },
    mend() {
      isLost = () => false;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
