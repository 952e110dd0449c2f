import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from './logger.ts';

const keyBytes = 32;
const keyForm = '32 bytes as base64 (openssl rand -base64 32) or 64 hexadecimal digits';

/**
 * The key that seals secrets at rest: `HEADWAY_SECRET_KEY`, else the one in `<dataDir>/secret.key`, which is
 * made on first need and said so in the log. Throws for a key of the wrong form, never showing it.
 */
export async function loadSecretKey({
  secretKey,
  dataDir,
  hasSealed,
  logger,
}: {
  /** The setting's value; null: not set. */
  secretKey: string | null;
  dataDir: string;
  /** Whether the database holds secrets that a key has sealed: a new key could not open them. */
  hasSealed: () => Promise<boolean>;
  logger: Logger;
}): Promise<Buffer> {
  if (secretKey !== null) return decodeKey(secretKey, 'HEADWAY_SECRET_KEY');
  const path = join(dataDir, 'secret.key');
  const stored = await readStoredKey(path);
  if (stored !== null) return stored;
  if (await hasSealed()) {
    throw new Error(
      `the secrets in this database were sealed with a key that is not here: restore ${path}, or set ` +
        'HEADWAY_SECRET_KEY (to a new one if the old is lost, and then run "headway apply FILE --reseal")',
    );
  }
  const isOurs = await createKeyFile(dataDir, path);
  if (isOurs) logger.info({ path }, 'secret key generated: keep a copy, secrets cannot be opened without it');
  return decodeKey(await readFile(path, 'utf8'), path);
}

async function readStoredKey(path: string): Promise<Buffer | null> {
  try {
    return decodeKey(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

// Written whole beside its place, then linked: of two processes that start at once one wins, and none
// ever reads half a key. False: the other one won.
async function createKeyFile(dataDir: string, path: string): Promise<boolean> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeDurably(draft, `${randomBytes(keyBytes).toString('base64')}\n`);
  try {
    await link(draft, path);
    await syncFolder(dataDir);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new Error(`cannot create ${path}: make its folder writable or set HEADWAY_SECRET_KEY`, {
      cause: error,
    });
  } finally {
    await unlink(draft);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

// Without it a power cut may keep the secrets and lose the name of their key.
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function decodeKey(text: string, source: string): Buffer {
  const trimmed = text.trim();
  const isHex = /^[0-9a-f]{64}$/i.test(trimmed);
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed);
  if (!isHex && !isBase64) throw new Error(`${source} is not a secret key, allowed: ${keyForm}`);
  return Buffer.from(trimmed, isHex ? 'hex' : 'base64');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
