import { decode, npubEncode } from 'nostr-tools/nip19';
import { getPublicKey } from 'nostr-tools/pure';

const hexKey = /^[0-9a-f]{64}$/i;

/** A private key as its bytes, from `nsec1…` or 64 hexadecimal digits. Null: it is none. */
export function readPrivateKey(text: string): Uint8Array | null {
  try {
    const key = hexKey.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : decodeKey(text, 'nsec');
    if (!(key instanceof Uint8Array)) return null;
    // Not every number is a key.
    getPublicKey(key);
    return key;
  } catch {
    return null;
  }
}

/** A public key as `npub1…`, from that or from 64 hexadecimal digits. Null: it is none. */
export function readNpub(text: string): string | null {
  try {
    const key = hexKey.test(text) ? text.toLowerCase() : decodeKey(text, 'npub');
    return typeof key === 'string' ? npubEncode(key) : null;
  } catch {
    return null;
  }
}

/** The `npub1…` that belongs to a private key. */
export function npubOf(privateKey: Uint8Array): string {
  return npubEncode(getPublicKey(privateKey));
}

/** The hexadecimal form of an `npub1…`, as relays want it. Throws for what is none. */
export function publicKeyOf(npub: string): string {
  const key = decodeKey(npub, 'npub');
  if (typeof key !== 'string') throw new Error('an npub that was never parsed');
  return key;
}

function decodeKey(text: string, type: 'nsec' | 'npub'): unknown {
  const decoded = decode(text);
  return decoded.type === type ? decoded.data : null;
}
