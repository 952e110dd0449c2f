import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createKeyFile, readKeyFile, replaceKeyFile } from './keyFile.ts';
import type { Logger } from './logger.ts';
import { fixedRing, type KeyRing, type Keys } from './secrets.ts';

const keyBytes = 32;
const keyForm = '32 bytes as base64 (openssl rand -base64 32) or 64 hexadecimal digits';

/**
 * The keys that seal secrets at rest, newest first: those of `HEADWAY_SECRET_KEY`, else those in
 * `<dataDir>/secret.key`, which is made on first need and said so in the log. Throws for a key of the wrong form,
 * never showing it.
 */
export async function loadSecretKeys({
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
}): Promise<KeyRing> {
  if (secretKey !== null) return fixedRing(parseKeys(secretKey, 'HEADWAY_SECRET_KEY'));
  const path = join(dataDir, 'secret.key');
  const stored = readKeyFile(path);
  if (stored !== null) return keyFileRing(path, parseKeys(stored, path), logger);
  if (await hasSealed()) {
    throw new Error(
      `the secrets in this database were sealed with a key that is not here: restore ${path}, or set ` +
        'HEADWAY_SECRET_KEY (to a new one if the old is lost, and then run "headway apply FILE --reseal")',
    );
  }
  const isOurs = await createKeyFile(path, formatKeys([randomBytes(keyBytes)]));
  if (isOurs) logger.info({ path }, 'secret key generated: keep a copy, secrets cannot be opened without it');
  return keyFileRing(path, parseKeys(readKeyFile(path) ?? '', path), logger);
}

/**
 * The keys in a text, separated by blanks, line breaks or commas; a key that is there twice counts once. `source`
 * is what an error names, which never shows the text.
 */
export function parseKeys(text: string, source: string): Keys {
  const written = text.split(/[\s,]+/).filter(part => part !== '');
  const wrong = written.findIndex(part => decodeKey(part) === null);
  const decoded = written.flatMap(part => decodeKey(part) ?? []);
  const [first, ...others] = decoded.filter(
    (key, index) => decoded.findIndex(one => one.equals(key)) === index,
  );
  if (wrong === -1 && first) return [first, ...others];
  if (written.length <= 1) throw new Error(`${source} is not a secret key, allowed: ${keyForm}`);
  const which = `(number ${wrong + 1} of ${written.length} is none)`;
  throw new Error(
    `${source} is not a list of secret keys ${which}, allowed: each ${keyForm}, with blanks, line breaks or commas between`,
  );
}

// Another process may rotate the keys at any time, so a ring of a file is never older than its last use.
function keyFileRing(path: string, loaded: Keys, logger: Logger): KeyRing {
  let keys = loaded;
  let dropped: readonly Buffer[] = [];
  const take = (next: Keys) => {
    dropped = [...keys, ...dropped].filter(key => !next.some(one => one.equals(key)));
    keys = next;
  };
  return {
    get keys() {
      return keys;
    },
    get dropped() {
      return dropped;
    },
    refresh() {
      const next = readAgain(path, logger);
      if (!next || formatKeys(next) === formatKeys(keys)) return false;
      take(next);
      logger.info({ path }, 'secret keys read again: their file has changed');
      return true;
    },
    file: {
      path,
      createKey: () => randomBytes(keyBytes),
      async replace(next) {
        await replaceKeyFile(path, formatKeys(next));
        take(next);
      },
    },
  };
}

// Null, and the process goes on with the keys in its hands: a file that somebody damaged stops no server.
function readAgain(path: string, logger: Logger): Keys | null {
  try {
    return parseKeys(readKeyFile(path) ?? '', path);
  } catch (error) {
    logger.warn({ err: error, path }, 'secret keys not read again');
    return null;
  }
}

function formatKeys(keys: readonly Buffer[]): string {
  return keys.map(key => `${key.toString('base64')}\n`).join('');
}

// Null: not a key.
function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
}
