import { withoutControls } from '../text/withoutControls.ts';

/** Prints one JSON document; instants are ISO 8601 in UTC. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Prints to standard output: what a command was asked for. */
export function print(text: string): void {
  console.log(withoutControls(text));
}

/** Prints to standard error: what went wrong, and what to do. */
export function printError(text: string): void {
  console.error(withoutControls(text));
}

/** Prints rows under their column names, aligned; `empty` where there are none. */
export function printTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): void {
  if (rows.length === 0) {
    print(empty);
    return;
  }
  const lines = [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...lines.map(line => line[index]?.length ?? 0)));
  for (const line of lines) {
    print(
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** An instant for people: to the second, UTC; a dash for none. */
export function formatInstant(instant: Date | null): string {
  return instant ? `${instant.toISOString().slice(0, 19)}Z` : '-';
}

/** Shortens a text to one line of `length` characters. */
export function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
