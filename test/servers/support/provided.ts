import 'vitest';
import type { Servers } from '../../../scripts/servers/servers.ts';

declare module 'vitest' {
  // An interface, since this merges into Vitest's own.
  interface ProvidedContext {
    /** Which servers are installed, and where; of the others, why not. */
    servers: Servers;
  }
}
