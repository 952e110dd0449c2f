import { z } from 'zod';

/** The servers that tests can run against. A Nostr relay is not among them: its parts come with `npm ci`. */
export const serverNames = ['snac', 'pds', 'wordpress', 'ghost'] as const;

export type ServerName = (typeof serverNames)[number];

const server = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('installed'), folder: z.string() }),
  /** The reason stands in a sentence for people: "snac is left out: …". */
  z.object({ kind: z.literal('missing'), reason: z.string() }),
  z.object({ kind: z.literal('not_asked_for'), reason: z.string() }),
]);

const servers = z.record(z.enum(serverNames), server);

export type Server = z.infer<typeof server>;
export type Servers = Readonly<Record<ServerName, Server>>;

/** The environment variable by which scripts/servers.ts tells the tests what it found, as JSON. */
export const serversVariable = 'HEADWAY_SERVERS_FOUND';

const notLooked: Server = { kind: 'missing', reason: 'these tests are run by `npm run test:servers`' };

/** What scripts/servers.ts found; without it (Vitest was started by hand) every server counts as missing. */
export function readServers(found: string | undefined): Servers {
  if (found !== undefined) return servers.parse(JSON.parse(found));
  return { snac: notLooked, pds: notLooked, wordpress: notLooked, ghost: notLooked };
}
