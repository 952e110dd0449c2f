/** What strikes. `fail` strikes only before a statement, as an error that the server itself raises. */
export type Strike =
  | { do: 'kill' | 'exit' | 'reject' | 'oom' | 'stop' | 'hang' | 'destroy' }
  /** Only after a statement: its answer reaches the program when SIGTERM has; the event loop runs on. */
  | { do: 'wait_for_signal' }
  /** Holds up the event loop. */
  | { do: 'block'; ms: number }
  /** `code`: an SQLSTATE. */
  | { do: 'fail'; code: string };

/** Where it strikes: at a statement by its name, or at the commit of a transaction that had such a one. */
export type Place = { statement: string } | { commitOf: string };

/**
 * A fault that the saboteur (saboteur.mjs) lets strike in a child process. `before`: the statement is not sent
 * yet (`destroy` and `hang`: it never is). `after`: the server has done it, and the program does not know yet
 * (`destroy` and `hang`: it never will).
 */
export type Fault = Place &
  Strike & {
    when: 'before' | 'after';
    /** Only the nth time. Default 1. */
    nth?: number;
    /** How often from then on. Default once. */
    times?: number;
    /** Counts only where a value, or after it a row of the answer, is or contains this text. */
    containing?: string;
  };
