/**
 * A date as tables and front matter have it, in a form that feeds have as well: `7.9.2026` (day first, wherever
 * dots are used), `2026/9/7`, `2026-9-7`, seconds or milliseconds since 1970. Anything else as it stands;
 * `9/7/2026` among it, which is two dates.
 */
export function importDate(text: string): string {
  const trimmed = text.trim();
  if (/^\d{10}$/.test(trimmed)) return new Date(Number(trimmed) * 1000).toISOString();
  if (/^\d{13}$/.test(trimmed)) return new Date(Number(trimmed)).toISOString();
  const dotted = /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?<rest>\D.*)?$/.exec(trimmed);
  const yearFirst = /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})(?<rest>\D.*)?$/.exec(trimmed);
  const groups = (dotted ?? yearFirst)?.groups;
  if (!groups) return trimmed;
  const { year, month = '', day = '', rest = '' } = groups;
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${rest.replace(/^,/, '')}`;
}
