import { z } from 'zod';

const form =
  'must be the address of a relay, such as wss://relay.example, without a query or a password in it';

/** A relay's address, in one form: without a `/` at its end. */
export const relayUrl = z.string(form).refine(isRelayUrl, form).transform(normalForm);

function isRelayUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^wss?:$/.test(protocol) && [username, password, search, hash].every(part => part === '');
}

function normalForm(text: string): string {
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

/** Where a relay tells about itself (NIP-11): the same address by HTTP. */
export function documentUrl(relay: string): string {
  return relay.replace(/^ws/, 'http');
}

/** A relay in a message, as short as it stays clear. */
export function relayName(relay: string): string {
  return relay.replace(/^wss?:\/\//, '');
}
