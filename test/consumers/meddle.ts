import type { Database } from '../../src/database/Database.ts';

type Run = () => Promise<unknown>;

/** A database on which the test stands between the program and its statements of these names. */
export function meddleWith(
  db: Database,
  names: readonly string[],
  meddle: (run: Run, values: readonly unknown[]) => Promise<unknown>,
): Database {
  return new Proxy(db, {
    get(target, property, receiver) {
      if (property !== 'raw') return Reflect.get(target, property, receiver);
      return (text: string) => ({
        options: (statement: { name: string; values: readonly unknown[] }) => {
          const run = async () => target.raw(text).options(statement);
          return names.includes(statement.name) ? meddle(run, statement.values) : run();
        },
      });
    },
  });
}

/** How a claim's statement may fare: its connection breaks before it, or after its commit. */
export function claimThat(fares: 'answered' | 'answer_lost' | 'never_committed') {
  return async (run: Run): Promise<unknown> => {
    const answer = fares === 'never_committed' ? null : await run();
    if (fares !== 'answered') throw new Error('Connection terminated unexpectedly');
    return answer;
  };
}

/** A promise that others settle. */
export function signpost<Value = void>() {
  let reach: (value: Value) => void = () => undefined;
  const reached = new Promise<Value>(resolve => {
    reach = resolve;
  });
  return { reached, reach: (value: Value) => reach(value) };
}

/** Answers with one, then with the other, and so on. */
export function alternately<One, Other>(one: One, other: Other): () => One | Other {
  let calls = 0;
  return () => {
    calls += 1;
    return calls % 2 === 1 ? one : other;
  };
}
