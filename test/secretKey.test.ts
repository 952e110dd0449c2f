import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSecretKey } from '../src/secretKey.ts';

const hexKey = '0123456789abcdef'.repeat(4);

describe('loadSecretKey', () => {
  let parent: string;
  let dataDir: string;
  let lines: string[];
  const load = (secretKey: string | null = null, hasSealed = false) => {
    const logger = pino({ base: null }, { write: line => lines.push(line) });
    return loadSecretKey({ secretKey, dataDir, hasSealed: async () => hasSealed, logger });
  };

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'headway-'));
    dataDir = join(parent, 'new', 'data');
    lines = [];
  });

  afterEach(() => rm(parent, { recursive: true }));

  it('takes the setting as hexadecimal digits or base64 and writes no file', async () => {
    const fromHex = await load(hexKey);
    const fromBase64 = await load(Buffer.from(hexKey, 'hex').toString('base64'));

    expect(fromHex.toString('hex')).toBe(hexKey);
    expect(fromBase64.equals(fromHex)).toBe(true);
    expect(await readdir(parent)).toEqual([]);
  });

  it.each(['', 'hunter2', hexKey.slice(2), `${hexKey}00`, 'c2hvcnQ='])(
    'refuses "%s" without showing it',
    async key => {
      const error: Error = await load(key).then(
        () => expect.unreachable(),
        (error: Error) => error,
      );

      expect(error.message).toContain('HEADWAY_SECRET_KEY is not a secret key, allowed: 32 bytes as base64');
      if (key !== '') expect(error.message).not.toContain(key);
    },
  );

  it('makes a key that only its owner can read, says so once and keeps it', async () => {
    const made = await load();
    const again = await load();

    const path = join(dataDir, 'secret.key');
    expect(made).toHaveLength(32);
    expect(again.equals(made)).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['secret.key']);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(path);
    expect(lines[0]).not.toContain((await readFile(path, 'utf8')).trim());
  });

  it('gives all processes that start at once the same key', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => load()));

    expect(new Set(keys.map(key => key.toString('hex'))).size).toBe(1);
    expect(lines).toHaveLength(1);
    expect(await readdir(dataDir)).toEqual(['secret.key']);
  });

  it('makes no new key for a database whose secrets an old one has sealed', async () => {
    await expect(load(null, true)).rejects.toThrow(`restore ${join(dataDir, 'secret.key')}`);

    await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
  });

  it('refuses a damaged key file, naming it, rather than making another', async () => {
    await load();
    const path = join(dataDir, 'secret.key');
    await writeFile(path, 'broken');

    await expect(load()).rejects.toThrow(`${path} is not a secret key`);
    expect(await readFile(path, 'utf8')).toBe('broken');
  });
});
