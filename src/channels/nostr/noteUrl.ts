import { neventEncode } from 'nostr-tools/nip19';

const maxHints = 2;

/**
 * Where people can look at a note: njump.me shows whatever relays have to whoever has no client, and passes it on to
 * the client of whoever has one. `relays`: where it is.
 */
export function noteUrl({ id, pubkey }: { id: string; pubkey: string }, relays: readonly string[]): string {
  return `https://njump.me/${neventEncode({ id, author: pubkey, relays: relays.slice(0, maxHints) })}`;
}
