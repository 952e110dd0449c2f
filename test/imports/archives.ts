import { crc32, deflateRawSync } from 'node:zlib';

export type ZipEntry = {
  name: string;
  content?: string | Buffer;
  /** What the archive says of it, whether true or not. */
  size?: number;
  /** Of Unix, such as 0o120777 for a symbolic link. */
  mode?: number;
};

/** A zip archive of these entries, deflated. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', size, mode = 0o100644 } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const fields = (start: number, header: Buffer) => {
      header.writeUInt16LE(20, start);
      header.writeUInt16LE(0x0800, start + 2);
      header.writeUInt16LE(8, start + 4);
      header.writeUInt32LE(crc32(bytes), start + 10);
      header.writeUInt32LE(packed.length, start + 14);
      header.writeUInt32LE(size ?? bytes.length, start + 18);
      header.writeUInt16LE(path.length, start + 22);
    };
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    fields(4, local);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(0x0314, 4);
    fields(6, central);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    locals.push(local, path, packed);
    directory.push(central, path);
    offset += local.length + path.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, part) => sum + part.length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}

export type TarEntry = { name: string; content?: string; type?: string; size?: number };

/** A tar archive of these entries (POSIX), with its end unless `isCut`. */
export function tarOf(entries: readonly TarEntry[], { isCut = false } = {}): Buffer {
  const parts = entries.flatMap(({ name, content = '', type = '0', size = Buffer.byteLength(content) }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
    header.write(' '.repeat(8), 148);
    header.write(type, 156);
    header.write('ustar\u000000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const body = Buffer.from(content);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat(isCut ? parts : [...parts, Buffer.alloc(1024)]);
}
