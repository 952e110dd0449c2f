/** What a header of 512 bytes says about the entry behind it. */
export type TarHeader = {
  name: string;
  size: number;
  /** `pax`, `long_name`: what follows is said about the next entry. */
  type: 'file' | 'link' | 'pax' | 'long_name' | 'other';
};

const types: Readonly<Record<string, TarHeader['type']>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  x: 'pax',
  L: 'long_name',
};

/** Reads a header (POSIX.1-2001, GNU, and the older form); null: it is none, the archive is damaged. */
export function parseTarHeader(block: Buffer): TarHeader | null {
  const sum = numberAt(block, 148, 8);
  const size = numberAt(block, 124, 12);
  if (sum !== checksum(block) || size === null || size < 0) return null;
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  const type = types[block.toString('latin1', 156, 157)] ?? 'other';
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, type };
}

/** The records of a pax header, `length key=value` each: the path and the size that it gives the next entry. */
export function parsePax(text: Buffer): { name?: string; size?: number } {
  const found: { name?: string; size?: number } = {};
  for (let at = 0; at < text.length; ) {
    const blank = text.indexOf(0x20, at);
    const length = Number(text.toString('latin1', at, blank));
    if (blank === -1 || !Number.isInteger(length) || length < 5) break;
    const [, key, value = ''] = /^([^=]*)=(.*)\n$/s.exec(text.toString('utf8', blank + 1, at + length)) ?? [];
    if (key === 'path') found.name = value;
    if (key === 'size' && /^\d+$/.test(value)) found.size = Number(value);
    at += length;
  }
  return found;
}

function textAt(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

/** Octal digits, or, with the highest bit set, the bytes of a number. */
function numberAt(block: Buffer, start: number, length: number): number | null {
  if ((block[start] ?? 0) & 0x80) {
    const value = block.readUIntBE(start + length - 6, 6);
    return Number.isSafeInteger(value) ? value : null;
  }
  const digits = textAt(block, start, length).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : null;
}

/** Of all bytes, those of the sum itself as blanks. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, place) => sum + (place >= 148 && place < 156 ? 0x20 : byte), 0);
}
