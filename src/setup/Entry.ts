import { z } from 'zod';
import { describeIssues } from './describeIssues.ts';
import type { Path, Problem } from './Problem.ts';

/** One map of a list in the file. */
export type Entry = {
  path: Path;
  /** As the file has it. */
  written: Readonly<Record<string, unknown>>;
  /** With the environment's values in place. */
  value: Readonly<Record<string, unknown>>;
};

/** A string under `key`, or null: names are looked up even where the rest of an entry is wrong. */
export function textIn({ value }: Entry, key: string): string | null {
  const text = Object.hasOwn(value, key) ? value[key] : null;
  return typeof text === 'string' ? text : null;
}

/** An entry with only these keys, or with all but these. */
export function pickKeys({ path, written, value }: Entry, keys: readonly string[], isWanted: boolean): Entry {
  const pickFrom = (map: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key) === isWanted));
  return { path, written: pickFrom(written), value: pickFrom(value) };
}

/** Which keys a platform's schema knows, for messages; none where it cannot tell. */
export function keysOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  return schema instanceof z.ZodPipe && schema.in instanceof z.ZodType ? keysOf(schema.in) : [];
}

/** Parses the keys of an entry that the schema is about. Null, and the problems, where it does not fit. */
export function parseEntry<Parsed>(
  schema: z.ZodType<Parsed>,
  { path, written, value }: Entry,
  { knownKeys, secretKeys = [] }: { knownKeys: readonly string[]; secretKeys?: readonly string[] },
  problems: Problem[],
): Parsed | null {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const secretValues = secretKeys.flatMap(key => value[key] ?? []).filter(one => typeof one === 'string');
  const found = result.error.issues;
  problems.push(...describeIssues(found, { path, written, knownKeys, secretKeys, secretValues }));
  return null;
}
