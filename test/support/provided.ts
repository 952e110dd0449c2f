import 'vitest';

declare module 'vitest' {
  // An interface, since this merges into Vitest's own.
  interface ProvidedContext {
    /** A superuser's URL of the server that all test files share. */
    databaseAdminUrl: string;
    /** The migrated database that each test file clones. */
    databaseTemplate: string;
    /** Null: no Redis on this machine; the reason was printed. */
    redisUrl: string | null;
  }
}
