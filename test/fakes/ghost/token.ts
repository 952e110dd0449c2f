import { createHmac } from 'node:crypto';
import type { Behaviour } from '../../support/fakeReceiver.ts';
import { error } from './answers.ts';

const keyId = '6489a0b1c2d3e4f5a6b7c8d9';
const keySecret = '0123456789abcdef'.repeat(4);
export const ghostAdminKey = `${keyId}:${keySecret}`;

/** How Ghost refuses a token, by its own clock; null: it takes it. */
export function refusalOfToken(
  authorization: string | undefined,
  { now, hasKey }: { now: Date; hasKey: boolean },
): Behaviour | null {
  if (authorization === undefined)
    return error(403, 'NoPermissionError', 'Authorization failed', 'Unable to determine the user');
  const token = /^Ghost (.+)$/i.exec(authorization)?.[1];
  const invalid = (message: string) =>
    error(401, 'UnauthorizedError', `Invalid token: ${message}`, null, 'INVALID_JWT');
  if (token === undefined)
    return error(401, 'UnauthorizedError', 'Authorization header format …', null, 'INVALID_AUTH_HEADER');
  const [head = '', claims = '', signature] = token.split('.');
  const { kid, alg } = decoded(head);
  if (kid === undefined) return error(400, 'BadRequestError', 'Invalid token', null, 'INVALID_JWT');
  if (!hasKey || kid !== keyId)
    return error(401, 'UnauthorizedError', 'Unknown Admin API Key', null, 'UNKNOWN_ADMIN_API_KEY');
  const expected = createHmac('sha256', Buffer.from(keySecret, 'hex')).update(`${head}.${claims}`);
  if (alg !== 'HS256' || signature !== expected.digest('base64url')) return invalid('invalid signature');
  const { iat, exp, aud } = decoded(claims);
  const seconds = Math.floor(now.getTime() / 1_000);
  if (aud !== '/admin/') return invalid('jwt audience invalid');
  if (Number(exp) <= seconds) return invalid('jwt expired');
  if (Number(iat) + 300 <= seconds) return invalid('maxAge exceeded');
  return null;
}

function decoded(part: string): Record<string, unknown> {
  return decodedText(Buffer.from(part, 'base64url').toString('utf8'));
}

/** A text's JSON; empty where it is none. */
export function decodedText(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
