import { describe, inject } from 'vitest';
import type { ServerName } from '../../../scripts/servers/servers.ts';
import './provided.ts';

/** Tests against a server. Where it is not installed they are skipped, and their title says why. */
export function describeServer(name: ServerName, tests: () => void): void {
  const server = inject('servers')[name];
  if (server.kind === 'installed') describe(name, tests);
  else describe.skip(`${name} (left out: ${server.reason})`, tests);
}

/** Where a server is installed. Throws if it is not, with the reason. */
export function installedFolder(name: ServerName): string {
  const server = inject('servers')[name];
  if (server.kind === 'installed') return server.folder;
  throw new Error(`${name} is left out: ${server.reason}`);
}
