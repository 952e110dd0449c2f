import type { Event } from 'nostr-tools/core';
import { WebSocket } from 'ws';

/** What a relay gives to whoever asks for the notes of an author, newest first. */
export async function listNotes(url: string, author: string): Promise<Event[]> {
  const socket = new WebSocket(url);
  const events: Event[] = [];
  socket.on('open', () => socket.send(JSON.stringify(['REQ', 'all', { authors: [author], kinds: [1] }])));
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${url} ended before its notes`)));
    socket.on('message', text => {
      const [kind, , event] = JSON.parse(String(text));
      if (kind === 'EVENT') events.push(event);
      else resolve();
    });
  });
  socket.terminate();
  return events;
}
