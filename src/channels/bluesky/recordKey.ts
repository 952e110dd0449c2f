import { createHash } from 'node:crypto';
import type { Post } from '../Channel.ts';

const digits = '234567abcdefghijklmnopqrstuvwxyz';
const keyForm = /^[234567a-j][234567a-z]{12}$/;
const hourUs = 3_600_000_000n;
const clockIdBits = 10n;

/**
 * The key of a post's record, the same for every attempt of one publication: a TID, which is what a PDS takes for
 * one (https://atproto.com/specs/tid): 53 bits of microseconds, 10 bits of a clock's id, in 13 digits.
 *
 * All articles of one fetch have the same `postCreatedAt`, and ten bits cannot tell hundreds of them apart: a
 * key met twice would take the second article for posted. So the microseconds are taken from a hash of the post
 * key as well, within the hour before: some 42 bits.
 */
export function recordKey({ postKey, postCreatedAt }: Pick<Post, 'postKey' | 'postCreatedAt'>): string {
  const hash = createHash('sha256').update(postKey).digest();
  const createdUs = BigInt(Date.parse(postCreatedAt)) * 1_000n;
  const us = createdUs - (hash.readBigUInt64BE(0) % hourUs);
  let rest = (us << clockIdBits) | BigInt(hash.readUInt16BE(8) & 0x3ff);
  let key = '';
  for (let place = 0; place < 13; place += 1) {
    key = digits.charAt(Number(rest & 31n)) + key;
    rest >>= 5n;
  }
  return key;
}

/** The instant in a TID, as whoever made it had it; null: it is none. */
export function recordKeyTime(key: string): Date | null {
  if (!keyForm.test(key)) return null;
  let value = 0n;
  for (const digit of key) value = (value << 5n) | BigInt(digits.indexOf(digit));
  return new Date(Number((value >> clockIdBits) / 1_000n));
}
