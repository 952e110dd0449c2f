import { createHash } from 'node:crypto';
import { invalidRecord } from './invalidRecord.ts';

export type StoredRecord = { key: string; cid: string; value: unknown };

export type PutRefusal = { error: 'InvalidRequest' | 'InvalidSwap' | 'BlobNotFound'; message: string };

/** One account's posts and files, in the order of checks of the real one. */
export class Repository {
  readonly #records = new Map<string, StoredRecord>();
  #blobs = new Set<string>();

  /** Keeps a file and answers its reference. */
  upload(bytes: Buffer, mimeType: string) {
    const $link = cidOf(bytes, 0x55);
    this.#blobs.add($link);
    return { $type: 'blob', ref: { $link }, mimeType, size: bytes.length };
  }

  /** What the real one does after a while with files that no record names. */
  collectBlobs(): void {
    const named = JSON.stringify([...this.#records.values()]);
    this.#blobs = new Set([...this.#blobs].filter(cid => named.includes(cid)));
  }

  /** `swapRecord` null: only where there is none; undefined: whatever there is. The same again changes nothing. */
  put(key: string, value: unknown, swapRecord: string | null | undefined): StoredRecord | PutRefusal {
    const invalid = invalidRecord(key, value);
    if (invalid !== null) return { error: 'InvalidRequest', message: invalid };
    const current = this.#records.get(key);
    const cid = cidOf(Buffer.from(canonical(value)), 0x71);
    if (current?.cid === cid) return current;
    if (swapRecord !== undefined && swapRecord !== (current?.cid ?? null)) {
      return { error: 'InvalidSwap', message: `Record was at ${current?.cid}` };
    }
    const lost = filesIn(value).find(file => !this.#blobs.has(file));
    if (lost !== undefined) return { error: 'BlobNotFound', message: `Could not find blob: ${lost}` };
    const record = { key, cid, value };
    this.#records.set(key, record);
    return record;
  }

  get(key: string): StoredRecord | null {
    return this.#records.get(key) ?? null;
  }

  /** The newest key first. */
  list({ limit, before }: { limit: number; before: string | null }): readonly StoredRecord[] {
    return [...this.#records.values()]
      .filter(({ key }) => before === null || key < before)
      .sort((a, b) => (a.key < b.key ? 1 : -1))
      .slice(0, limit);
  }

  keys(): readonly string[] {
    return [...this.#records.keys()];
  }
}

const digits = 'abcdefghijklmnopqrstuvwxyz234567';

/** A real one for files (raw, 0x55). The real one of a record is of its CBOR; here it is of its JSON. */
function cidOf(bytes: Buffer, codec: number): string {
  const digest = createHash('sha256').update(bytes).digest();
  const bits = [1, codec, 0x12, 0x20, ...digest].map(byte => byte.toString(2).padStart(8, '0')).join('');
  const quintets = bits.match(/.{1,5}/g) ?? [];
  return `b${quintets.map(quintet => digits[Number.parseInt(quintet.padEnd(5, '0'), 2)]).join('')}`;
}

/** JSON in which the order of keys does not matter, as it does not in a record. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function filesIn(value: unknown): string[] {
  return Array.from(JSON.stringify(value).matchAll(/"\$link":"([^"]+)"/g), ([, cid = '']) => cid);
}
