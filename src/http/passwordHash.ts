import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

// About 50 ms and 16 MiB a try on one core.
const cost = 2 ** 14;
const blockSize = 8;
const parallelization = 1;
const saltBytes = 16;
const keyBytes = 32;

/** A salted scrypt hash with its parameters, so that later versions can raise them. Bytes are base64. */
export const passwordHash = z.object({
  algorithm: z.literal('scrypt'),
  cost: z.number().int(),
  blockSize: z.number().int(),
  parallelization: z.number().int(),
  salt: z.string(),
  key: z.string(),
});
export type PasswordHash = z.infer<typeof passwordHash>;

/** Hashes a password for storage. */
export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(saltBytes);
  const key = await derive(password, salt, keyBytes, { cost, blockSize, parallelization });
  const bytes = { salt: salt.toString('base64'), key: key.toString('base64') };
  return { algorithm: 'scrypt', cost, blockSize, parallelization, ...bytes };
}

/** Whether `password` is the one that was hashed, in constant time. */
export async function isPassword(password: string, hash: PasswordHash): Promise<boolean> {
  const wanted = Buffer.from(hash.key, 'base64');
  const { cost, blockSize, parallelization } = hash;
  const options = { cost, blockSize, parallelization };
  const key = await derive(password, Buffer.from(hash.salt, 'base64'), wanted.length, options);
  return timingSafeEqual(key, wanted);
}

function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
