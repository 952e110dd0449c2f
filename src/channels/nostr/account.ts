import { z } from 'zod';
import type { AccountKind } from '../AccountKind.ts';
import type { AccountAccess } from '../Channel.ts';
import { secretText } from '../settingsParts.ts';
import { npubOf, readNpub, readPrivateKey } from './keys.ts';

export type NostrCredentials = {
  /** `npub1…`: the public key, by which the channel is told from others without the secret. */
  username: string;
  /** `nsec1…` or 64 hexadecimal digits. */
  privateKey: string;
};

export type NostrAccount = AccountAccess<NostrCredentials, null>;

const credentials = z
  .strictObject({
    username: z
      .string('must be text')
      .refine(text => readNpub(text) !== null, {
        message: 'must be a public key: npub1… or 64 hexadecimal digits',
        // The two keys are easily swapped.
        params: { hidesValue: true },
      })
      .transform(text => readNpub(text) ?? ''),
    privateKey: secretText.refine(
      text => readPrivateKey(text) !== null,
      'must be a private key: nsec1… or 64 hexadecimal digits',
    ),
  })
  .check(({ value, issues }) => {
    const key = readPrivateKey(value.privateKey);
    // What is no key at all is said already.
    if (key === null || readNpub(value.username) === null) return;
    const npub = npubOf(key);
    if (npub === value.username) return;
    const message = `must be the public key of privateKey, which is ${npub}`;
    issues.push({ code: 'custom', path: ['username'], message, input: value.username });
  });

/** A pair of keys. There is nobody to log in to: every note is signed. */
export const nostrAccount: AccountKind<NostrCredentials, null> = {
  credentials,
  secretKeys: ['privateKey'],
  session: z.null(),
  openSession: async () => ({ kind: 'opened', session: null, expiresAt: null }),
};

/** The private key of an account. Throws for one that was never parsed. */
export function privateKeyOf({ credentials }: NostrAccount): Uint8Array {
  const key = readPrivateKey(credentials.privateKey);
  if (key === null) throw new Error('a private key that was never parsed');
  return key;
}
