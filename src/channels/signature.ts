import { createHmac } from 'node:crypto';

/** Several during a rotation: each signs, the newest first. None: unsigned. */
export type SigningSecret = string | string[] | undefined;

const secretPrefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Whether a secret can sign: any text, or base64 after `whsec_`. */
export function isReadableSecret(secret: string): boolean {
  if (!secret.startsWith(secretPrefix)) return true;
  const encoded = secret.slice(secretPrefix.length);
  return encoded !== '' && base64.test(encoded);
}

/** The headers by which a receiver knows a message and its sender (https://www.standardwebhooks.com). */
export function signedHeaders(
  { id, at, body }: { id: string; at: Date; body: string },
  secret: SigningSecret,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secretsIn(secret).map(each => `v1,${hmac(keyOf(each), signed)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}

function secretsIn(secret: SigningSecret): readonly string[] {
  if (secret === undefined) return [];
  return typeof secret === 'string' ? [secret] : secret;
}

function keyOf(secret: string): Buffer {
  if (!secret.startsWith(secretPrefix)) return Buffer.from(secret, 'utf8');
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}

function hmac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}
