import type { Duplex } from 'node:stream';
import { type Dispatcher, WebSocket } from 'undici';
import type { AddressGuard } from './addressGuard.ts';
import { type ConnectionFailure, connectionFailure, describeError } from './connectionFailure.ts';
import { createGuardedAgent } from './guardedAgent.ts';

export type WebSocketOptions = {
  /** `ws:` or `wss:`. */
  url: string;
  guard: AddressGuard;
  connectTimeoutMs: number;
  userAgent: string;
  /** Of one message, unpacked; a longer one ends the connection. */
  maxMessageBytes: number;
};

/** What is told of a connection, each in a turn of its own. None of these may throw. */
export type WebSocketEvents = {
  /** Messages can be sent. */
  onOpen(): void;
  /** A text message has come. Binary ones are passed over. */
  onText(text: string): void;
  /** It is over, or did not come about. Called once. */
  onEnd(failure: ConnectionFailure, detail: string): void;
};

export type GuardedWebSocket = {
  /** Writes a message in this very turn; once the connection is over, nothing. */
  send(text: string): void;
  /** Says good-bye where that can be said, and closes without waiting for the other side. */
  destroy(): void;
};

/** Opens a WebSocket only where the guard allows, on a connection of its own. It follows no redirect. */
export function openGuardedWebSocket(
  { url, guard, connectTimeoutMs, userAgent, maxMessageBytes }: WebSocketOptions,
  { onOpen, onText, onEnd }: WebSocketEvents,
): GuardedWebSocket {
  const agent = createGuardedAgent({ guard, connectTimeoutMs, maxMessageBytes });
  let connection: Duplex | null = null;
  let isOpen = false;
  let fault: Fault | null = null;

  // The events of a WebSocket do not say why it did not open: this is where that passes by.
  const dispatcher = agent.compose(
    dispatch => (options, handler) =>
      dispatch(
        options,
        watched(handler, {
          onUpgrade: socket => {
            connection = socket;
          },
          onFault: found => {
            fault ??= found;
          },
        }),
      ),
  );
  const webSocket = new WebSocket(url, { dispatcher, headers: { 'user-agent': userAgent } });

  webSocket.addEventListener('open', () => {
    isOpen = true;
    onOpen();
  });
  webSocket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') onText(data);
  });
  webSocket.addEventListener('close', ({ code, reason }) => {
    const { failure, detail } = isOpen ? closed(code, reason) : (fault ?? noHandshake);
    onEnd(failure, detail);
  });

  return {
    send: text => webSocket.send(text),
    destroy() {
      webSocket.close();
      connection?.destroy();
      agent.destroy().catch(() => {});
    },
  };
}

type Fault = { failure: ConnectionFailure; detail: string };

// Of ports that browsers block too (https://fetch.spec.whatwg.org/#port-blocking), undici says nothing.
const noHandshake: Fault = {
  failure: 'connection_refused',
  detail: 'its handshake is not that of a WebSocket, or its port is one that is not connected to',
};

function closed(code: number, reason: string): Fault {
  // What stands for "without a word" (RFC 6455, 7.1.5).
  if (code === 1006) return { failure: 'connection_reset', detail: 'the connection was lost' };
  const words = reason.replace(/\s+/g, ' ').trim();
  const said = words === '' ? `code ${code}` : `code ${code}: ${words}`;
  return { failure: 'connection_reset', detail: `the connection was closed (${said})` };
}

function watched(
  handler: Dispatcher.DispatchHandler,
  watcher: { onUpgrade(socket: Duplex): void; onFault(fault: Fault): void },
): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onRequestUpgrade(...args) {
      watcher.onUpgrade(args[3]);
      return handler.onRequestUpgrade?.(...args);
    },
    onResponseStart(...args) {
      const detail = `it answers with HTTP ${args[1]} instead of a WebSocket`;
      watcher.onFault({ failure: 'connection_refused', detail });
      return handler.onResponseStart?.(...args);
    },
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError(controller, error) {
      const failure = connectionFailure(error) ?? 'connection_refused';
      watcher.onFault({ failure, detail: describeError(error) });
      return handler.onResponseError?.(controller, error);
    },
  };
}
