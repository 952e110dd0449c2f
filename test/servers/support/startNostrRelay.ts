import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createOutgoingNoticeMessage, type Event, EventUtils } from '@nostr-relay/common';
import { NostrRelay } from '@nostr-relay/core';
import { Validator } from '@nostr-relay/validator';
import { type RawData, WebSocketServer } from 'ws';
import { MemoryEvents } from './MemoryEvents.ts';

export type Relay = {
  /** `ws://…` */
  url: string;
  /** What it has stored, the oldest arrival first. */
  events(): readonly Event[];
  /** Answers every event with `false` and this, such as `blocked: not here` or `rate-limited: slow down`. */
  refuse(message: string): void;
  /** Takes events, and ends the connection instead of saying so. */
  loseAnswers(): void;
  /** Takes events again, and answers. */
  accept(): void;
  stop(): Promise<void>;
};

/** Starts a Nostr relay in this process. It verifies ids and signatures and forgets all when it stops. */
export async function startNostrRelay(): Promise<Relay> {
  const events = new MemoryEvents();
  let refusal: string | null = null;
  let losesAnswers = false;
  // Without caches: a test that changes its mind is answered by the new one.
  const relay = new NostrRelay(events, { filterResultCacheTtl: 0, eventHandlingResultCacheTtl: 0 });
  relay.register({
    beforeHandleEvent(event: Event) {
      // The relay itself would take a forgery of a known event for the event: it verifies only what is new.
      const message = refusal ?? EventUtils.validate(event);
      return message === undefined ? { canHandle: true } : { canHandle: false, message };
    },
  });
  const validator = new Validator();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');

  server.on('connection', socket => {
    relay.handleConnection(socket);
    socket.on('close', () => relay.handleDisconnect(socket));
    socket.on('message', async (data: RawData) => {
      const isLost = losesAnswers && String(data).startsWith('["EVENT"');
      if (isLost) socket.send = () => {};
      try {
        await relay.handleMessage(socket, await validator.validateIncomingMessage(String(data)));
        if (isLost) socket.terminate();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        socket.send(JSON.stringify(createOutgoingNoticeMessage(message)));
      }
    });
  });

  return {
    url: `ws://127.0.0.1:${portOf(server.address())}`,
    events: () => events.all(),
    refuse(message) {
      refusal = message;
    },
    loseAnswers() {
      losesAnswers = true;
    },
    accept() {
      refusal = null;
      losesAnswers = false;
    },
    async stop() {
      for (const socket of server.clients) socket.terminate();
      const closed = once(server, 'close');
      server.close();
      await closed;
      await relay.destroy();
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
