import { createRequire } from 'node:module';

const { version: stated } = createRequire(import.meta.url)('../package.json') as { version: string };

/** Headway's version, as in package.json. */
export const version = stated;

/** How Headway names itself to those who serve feeds; `contact` is an address or URL of its operator. */
export function userAgent(contact: string | null): string {
  return contact ? `Headway/${version} (+${contact})` : `Headway/${version}`;
}
