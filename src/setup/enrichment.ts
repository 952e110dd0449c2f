import { durationForm, formatDuration, parseDuration } from '../duration.ts';
import { field } from './schemaParts.ts';

const defaultMs = 600_000;
/** Below it, chance decides whether the page is looked at in time. */
const leastMs = 30_000;
const mostMs = 86_400_000;

const form = `true (at most ${formatDuration(defaultMs)}), false, or ${durationForm}, from ${formatDuration(leastMs)} to ${formatDuration(mostMs)}`;

/** Reads `enrich`, how long at most a publication waits for its article's page; null: the page is not asked. */
export const enrichment = field(
  'is neither true, false nor a duration in range',
  form,
  (value): { withinMs: number | null } | null => {
    if (value === false || value === 'false') return { withinMs: null };
    if (value === true || value === 'true') return { withinMs: defaultMs };
    const withinMs = typeof value === 'string' ? parseDuration(value) : Number.NaN;
    return withinMs >= leastMs && withinMs <= mostMs ? { withinMs } : null;
  },
).transform(({ withinMs }) => withinMs);

/** Writes it as `config.yaml` has it; null: left out. */
export function formatEnrichment(withinMs: number | null): true | string | null {
  if (withinMs === null) return null;
  return withinMs === defaultMs ? true : formatDuration(withinMs);
}
