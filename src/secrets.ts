import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Which table a sealed value belongs to: sealed for one, it cannot be opened as another's. */
export type SecretContext = 'accounts' | 'channels';

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
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + nonceBytes + tagBytes;

/**
 * AES-256-GCM with a random nonce: version, nonce, tag, ciphertext. The context is authenticated, not
 * stored. `key`: 32 bytes.
 */
export function createSecretBox(key: Buffer): SecretBox {
  if (key.length !== 32) throw new Error('a secret key has 32 bytes');
  return {
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, context) {
      if (sealed.length < headerBytes || sealed[0] !== version) throw unopened(context);
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(1 + nonceBytes, headerBytes));
      try {
        const plain = Buffer.concat([decipher.update(sealed.subarray(headerBytes)), decipher.final()]);
        return plain.toString('utf8');
      } catch (cause) {
        throw unopened(context, cause);
      }
    },
  };
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
