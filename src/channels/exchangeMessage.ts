import { openGuardedWebSocket } from '../network/guardedWebSocket.ts';
import type { RequestFailure, SendRequestOptions } from './sendRequest.ts';

export type OutgoingMessage = {
  /** `ws:` or `wss:`. */
  url: string;
  message: string;
  /** Whether a text that came answers the message; what does not is passed over. It may not throw. */
  isAnswer(text: string): boolean;
  /** Of all that comes, the answer included. Default 64 kB: a list of posts needs more. */
  maxAnswerBytes?: number;
};

/** How far a message got, as `RequestResult` has it. */
export type MessageResult =
  | { phase: 'answered'; text: string }
  | { phase: 'not_sent' | 'sent'; failure: RequestFailure; detail: string };

/** Sends one message on a WebSocket of its own and waits for what answers it. Never throws. */
export type ExchangeMessage = (message: OutgoingMessage) => Promise<MessageResult>;

const defaultMaxAnswerBytes = 64 * 1024;

/**
 * Makes, of what makes a publication's `SendRequest`, its counterpart for platforms that talk on a WebSocket.
 * The handshake says nothing public, so a message counts as sent when it is handed to the socket, and the
 * clock is held against `sendBy` in that very turn.
 */
export function createExchangeMessage(options: SendRequestOptions): ExchangeMessage {
  return async message => {
    if (!isWebSocketUrl(message.url)) return refused('address_refused', 'not a ws or wss URL');
    if (options.signal.aborted) return refused('aborted', 'aborted before the request');
    if (options.clock.now() > options.sendBy) return refused('send_by_passed', 'its time to send had passed');
    return exchange(message, options);
  };
}

function exchange(
  { url, message, isAnswer, maxAnswerBytes = defaultMaxAnswerBytes }: OutgoingMessage,
  { guard, clock, sendBy, userAgent, signal, limits }: SendRequestOptions,
): Promise<MessageResult> {
  const { sendConnectMs, sendAnswerMs } = limits;
  return new Promise(resolve => {
    let phase: 'not_sent' | 'sent' = 'not_sent';
    let hasEnded = false;
    let bytes = 0;

    // The first end counts; later ones change nothing.
    function end(result: MessageResult): void {
      if (hasEnded) return;
      hasEnded = true;
      timers.forEach(clearTimeout);
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(result);
    }

    const fail = (failure: RequestFailure, detail: string) => end({ phase, failure, detail });
    const onAbort = () =>
      fail(
        'aborted',
        phase === 'sent' ? 'aborted while waiting for the answer' : 'aborted before it was sent',
      );
    const connectTimedOut = () => {
      if (phase === 'not_sent') fail('connection_timeout', 'no connection within the time limit');
    };
    const timedOut = () => {
      connectTimedOut();
      fail('response_timeout', 'no answer within the time limit');
    };

    const socket = openGuardedWebSocket(
      { url, guard, userAgent, connectTimeoutMs: sendConnectMs, maxMessageBytes: maxAnswerBytes },
      {
        onOpen() {
          if (hasEnded) return;
          if (clock.now() > sendBy)
            return fail('send_by_passed', `connected only after ${sendBy.toISOString()}`);
          phase = 'sent';
          socket.send(message);
        },
        onText(text) {
          bytes += Buffer.byteLength(text);
          if (hasEnded) return;
          if (isAnswer(text)) end({ phase: 'answered', text });
          else if (bytes > maxAnswerBytes) fail('unreadable_answer', 'too much came instead of an answer');
        },
        onEnd: fail,
      },
    );
    const timers = [setTimeout(connectTimedOut, sendConnectMs), setTimeout(timedOut, sendAnswerMs)];
    signal.addEventListener('abort', onAbort);
  });
}

function isWebSocketUrl(text: string): boolean {
  return URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol);
}

function refused(failure: RequestFailure, detail: string): MessageResult {
  return { phase: 'not_sent', failure, detail };
}
