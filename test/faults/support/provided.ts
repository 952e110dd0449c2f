import 'vitest';

declare module 'vitest' {
  // An interface, since this merges into Vitest's own.
  interface ProvidedContext {
    /** A folder with the built program in `dist/`. */
    programFolder: string;
  }
}
