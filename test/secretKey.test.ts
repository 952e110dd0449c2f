import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSecretKeys, parseKeys } from '../src/secretKey.ts';
import { createSecretBox } from '../src/secrets.ts';

const hexKey = '0123456789abcdef'.repeat(4);
const otherKey = Buffer.alloc(32, 7).toString('base64');

describe('loadSecretKeys', () => {
  let parent: string;
  let dataDir: string;
  let lines: string[];
  const load = (secretKey: string | null = null, hasSealed = false) => {
    const logger = pino({ base: null }, { write: line => lines.push(line) });
    return loadSecretKeys({ secretKey, dataDir, hasSealed: async () => hasSealed, logger });
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

    expect(hexOf(fromHex)).toEqual([hexKey]);
    expect(hexOf(fromBase64)).toEqual([hexKey]);
    expect(fromHex.file).toBeNull();
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
    expect(hexOf(made)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(hexOf(again)).toEqual(hexOf(made));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['secret.key']);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(path);
    expect(lines[0]).not.toContain((await readFile(path, 'utf8')).trim());
  });

  it('gives all processes that start at once the same key', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, () => load()));

    expect(new Set(rings.flatMap(hexOf)).size).toBe(1);
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

  it('takes several keys from the file, and keeps those of the setting whatever the file says', async () => {
    await load();
    await writeFile(join(dataDir, 'secret.key'), `${otherKey}\n${hexKey}\n`);

    const fromFile = await load();
    const fromSetting = await load(hexKey);

    expect(hexOf(fromFile)).toEqual(['07'.repeat(32), hexKey]);
    expect(fromSetting.refresh()).toBe(false);
    expect(hexOf(fromSetting)).toEqual([hexKey]);
  });

  it('goes on working, without a restart, when another process has replaced the file', async () => {
    const running = await load();
    const box = createSecretBox(running);
    const sealedBefore = box.seal('hunter2', 'accounts');
    const other = await load();

    await other.file?.replace([Buffer.from(hexKey, 'hex'), other.keys[0]]);
    const sealedByOther = createSecretBox(other).seal('hunter3', 'accounts');
    await other.file?.replace([other.keys[0]]);

    expect(box.open(sealedByOther, 'accounts')).toBe('hunter3');
    // It was read from its row before the other process sealed that anew.
    expect(box.open(sealedBefore, 'accounts')).toBe('hunter2');
    expect(hexOf(running)).toEqual([hexKey]);
    expect(running.dropped).toHaveLength(1);
    expect(lines.filter(line => line.includes('secret keys read again'))).toHaveLength(1);
  });

  it('seals with the key that another process has made, not with the one that it is about to drop', async () => {
    const running = await load();
    const other = await load();

    await other.file?.replace([Buffer.from(hexKey, 'hex'), other.keys[0]]);
    const sealed = createSecretBox(running).seal('hunter2', 'accounts');

    expect(createSecretBox(Buffer.from(hexKey, 'hex')).open(sealed, 'accounts')).toBe('hunter2');
  });

  it.each(['', 'broken', null])('goes on with its keys when the file is damaged: %j', async text => {
    const running = await load();
    const box = createSecretBox(running);
    const path = join(dataDir, 'secret.key');
    const key = (await readFile(path, 'utf8')).trim();

    if (text === null) await rm(path);
    else await writeFile(path, text);

    expect(box.open(box.seal('hunter2', 'accounts'), 'accounts')).toBe('hunter2');
    expect(lines.join('')).toContain('secret keys not read again');
    expect(lines.join('')).not.toContain(key);
  });
});

describe('parseKeys', () => {
  it.each([' ', '\n', '\r\n', ',', ', ', '\n\n,\t'])('takes keys with %j between them', between => {
    const keys = parseKeys(`${between}${hexKey}${between}${otherKey}${between}`, 'secret.key');

    expect(keys.map(key => key.toString('hex'))).toEqual([hexKey, '07'.repeat(32)]);
  });

  it('counts a key that is there twice once', () => {
    const keys = parseKeys(
      `${hexKey} ${otherKey} ${Buffer.from(hexKey, 'hex').toString('base64')}`,
      'secret.key',
    );

    expect(keys).toHaveLength(2);
  });

  it('says which of several is none, and shows none', () => {
    const error = messageOf(() => parseKeys(`${hexKey}, hunter2 ${otherKey}`, 'HEADWAY_SECRET_KEY'));

    expect(error).toContain(
      'HEADWAY_SECRET_KEY is not a list of secret keys (number 2 of 3 is none), allowed: each 32',
    );
    for (const given of [hexKey, 'hunter2', otherKey]) expect(error).not.toContain(given);
  });

  it.each([',', ' \n'])('refuses a list of none: %j', text => {
    expect(() => parseKeys(text, 'secret.key')).toThrow('secret.key is not a secret key, allowed: 32 bytes');
  });
});

function hexOf({ keys }: { keys: readonly Buffer[] }): string[] {
  return keys.map(key => key.toString('hex'));
}

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return expect.unreachable();
}
