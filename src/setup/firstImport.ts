import { DateTime } from 'luxon';
import { formatDuration, parseDuration } from '../duration.ts';
import type { FirstImport } from '../models/feeds.ts';

/** What may be written for it, for messages. */
export const firstImportForm =
  'baseline, all, "last: 3", "since: 7d" or "since: 2026-09-01" (also as maps, { last: 3 })';

/**
 * Reads `firstImport`, a word, a string or a map. A date without an offset is read in `zone`, at midnight
 * without a time. Null: it is none.
 */
export function parseFirstImport(value: unknown, zone: string): FirstImport | null {
  if (value === 'baseline' || value === 'all') return { mode: value };
  const [key, argument] = typeof value === 'string' ? splitWords(value) : onlyEntry(value);
  if (key === 'last') return parseLast(argument);
  if (key === 'since' && typeof argument === 'string') return parseSince(argument.trim(), zone);
  return null;
}

/** Writes it as `config.yaml` has it: what `parseFirstImport` reads back, in any zone. */
export function formatFirstImport(firstImport: FirstImport): string | Record<string, unknown> {
  if (firstImport.mode === 'last') return { last: firstImport.count };
  if (firstImport.mode !== 'since') return firstImport.mode;
  return { since: 'at' in firstImport ? firstImport.at : formatDuration(firstImport.sinceMs) };
}

function splitWords(text: string): [string | undefined, unknown] {
  const [, key, argument] = /^\s*(last|since)\s*:\s*(\S.*)$/.exec(text) ?? [];
  return [key, argument];
}

function onlyEntry(value: unknown): [string | undefined, unknown] {
  if (typeof value !== 'object' || value === null) return [undefined, undefined];
  const [entry, ...others] = Object.entries(value);
  return entry && others.length === 0 ? entry : [undefined, undefined];
}

function parseLast(argument: unknown): FirstImport | null {
  const count = typeof argument === 'string' && /^\d+\s*$/.test(argument) ? Number(argument) : argument;
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0
    ? { mode: 'last', count }
    : null;
}

function parseSince(text: string, zone: string): FirstImport | null {
  if (/^\d+\s*[a-z]+$/.test(text)) return parseAge(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  const at = DateTime.fromISO(text, { zone }).toUTC().toISO();
  return at === null ? null : { mode: 'since', at };
}

function parseAge(text: string): FirstImport | null {
  try {
    return { mode: 'since', sinceMs: parseDuration(text) };
  } catch {
    return null;
  }
}
