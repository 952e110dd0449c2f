import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Which table a sealed value belongs to: sealed for one, it cannot be opened as another's. */
export type SecretContext = 'accounts' | 'channels' | 'sessions';

/** 32 bytes each, newest first: the first seals, every one opens. */
export type Keys = readonly [Buffer, ...Buffer[]];

/** The keys of this process. */
export type KeyRing = {
  readonly keys: Keys;
  /**
   * What the ring held earlier in this process. They open too: a row that was read just before a rotation is
   * opened just after it.
   */
  readonly dropped: readonly Buffer[];
  /** Takes the keys from their file again, if they have one. Whether they are others now. */
  refresh(): boolean;
  /** Null: the keys are those of the setting, which only a person changes. */
  readonly file: KeyFile | null;
};

/** The file that a ring is kept in. */
export type KeyFile = {
  readonly path: string;
  createKey(): Buffer;
  /** Puts these keys into the file, and into the ring. Throws with the file as it was. */
  replace(keys: Keys): Promise<void>;
};

/** Seals secrets for storage and opens them again. */
export type SecretBox = {
  seal(plain: string, context: string): Buffer;
  /** Throws, without a word of the content, where the key or the context is another. */
  open(sealed: Buffer, context: string): string;
};

/**
 * One secret of an account or a channel. `from` is what `config.yaml` had in its place where that was
 * nothing but `${NAME}`, so that an export can say the same; else null.
 */
export type Secret = { value: SecretValue; from: SecretValue | null };
export type SecretValue = string | readonly string[];
export type Secrets = Readonly<Record<string, Secret>>;

const version = 1;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + nonceBytes + tagBytes;

/**
 * AES-256-GCM with a random nonce: version, nonce, tag, ciphertext. The context is authenticated, not
 * stored; neither is the key, since the tag tells which one it was. One key stands for a ring of it alone.
 */
export function createSecretBox(ringOrKey: KeyRing | Buffer): SecretBox {
  const ring = Buffer.isBuffer(ringOrKey) ? fixedRing([ringOrKey]) : ringOrKey;
  return {
    seal(plain, context) {
      // What is sealed with a key that a rotation is about to drop could not be opened after it.
      ring.refresh();
      return sealWith(ring.keys[0], plain, context);
    },
    open(sealed, context) {
      try {
        return openWith([...ring.keys, ...ring.dropped], sealed, context);
      } catch (error) {
        if (!ring.refresh()) throw error;
        return openWith(ring.keys, sealed, context);
      }
    },
  };
}

/** A ring that stays as it is. Throws for a key of another length. */
export function fixedRing(keys: Keys): KeyRing {
  if (keys.some(key => key.length !== keyBytes)) throw new Error(`a secret key has ${keyBytes} bytes`);
  return { keys, dropped: [], refresh: () => false, file: null };
}

function sealWith(key: Buffer, plain: string, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), ciphertext]);
}

function openWith(keys: readonly Buffer[], sealed: Buffer, context: string): string {
  if (sealed.length < headerBytes || sealed[0] !== version) throw unopened(context);
  let cause: unknown;
  for (const key of keys) {
    try {
      return decipher(key, sealed, context);
    } catch (error) {
      cause = error;
    }
  }
  throw unopened(context, cause);
}

function decipher(key: Buffer, sealed: Buffer, context: string): string {
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(1 + nonceBytes, headerBytes));
  return Buffer.concat([decipher.update(sealed.subarray(headerBytes)), decipher.final()]).toString('utf8');
}

/** Seals all secrets of one row; null when it has none. */
export function sealSecrets(secrets: Secrets, box: SecretBox, context: SecretContext): Buffer | null {
  return Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets), context);
}

/** The secrets of one row by key. Throws as `SecretBox.open` does. */
export function openSecrets(sealed: Buffer | null, box: SecretBox, context: SecretContext): Secrets {
  return sealed === null ? {} : (JSON.parse(box.open(sealed, context)) as Secrets);
}

/**
 * What `config.yaml` said, secrets included: the row's settings with its secrets put back among them, for
 * the channel's own schema to parse. Throws as `SecretBox.open` does.
 */
export function unsealSettings(
  row: { settings: Readonly<Record<string, unknown>>; secrets: Buffer | null },
  box: SecretBox,
  context: SecretContext = 'channels',
): Record<string, unknown> {
  const values = Object.entries(openSecrets(row.secrets, box, context)).map(([key, { value }]) => [
    key,
    value,
  ]);
  return { ...row.settings, ...Object.fromEntries(values) };
}

function unopened(context: string, cause?: unknown): Error {
  return new Error(`a secret in ${context} cannot be opened with this HEADWAY_SECRET_KEY`, { cause });
}
