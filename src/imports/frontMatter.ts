import { parse } from 'yaml';

export type FrontMatter =
  | { kind: 'read'; fields: ReadonlyMap<string, unknown>; body: string }
  /** The file has none. */
  | { kind: 'none' }
  | { kind: 'bad'; reason: string };

const mostLength = 65_536;

/**
 * What stands in front of a Markdown text between two lines `---`, by the names of its keys in lower case,
 * without punctuation. Every scalar is text as it was written: `title: 007` is no number.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/\r\n?/g, '\n');
  if (/^\+\+\+\s*\n/.test(lines))
    return { kind: 'bad', reason: 'its front matter is TOML (+++): only YAML (---) is read' };
  if (!/^---[ \t]*\n/.test(lines)) return { kind: 'none' };
  const start = lines.indexOf('\n') + 1;
  const end = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m.exec(lines.slice(start, start + mostLength));
  if (end === null) return { kind: 'bad', reason: 'its front matter does not end with a line ---' };
  try {
    // Aliases are how a few lines become many gigabytes; nobody needs them here.
    const read: unknown = parse(lines.slice(start, start + end.index), {
      schema: 'failsafe',
      maxAliasCount: 0,
      logLevel: 'error',
    });
    const isMap = typeof read === 'object' && read !== null && !Array.isArray(read);
    if (read !== null && !isMap) return { kind: 'bad', reason: 'its front matter is no list of keys' };
    const entries = Object.entries(read ?? {}).map(([key, value]): [string, unknown] => [
      plainKey(key),
      value,
    ]);
    return { kind: 'read', fields: new Map(entries), body: lines.slice(start + end.index + end[0].length) };
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { kind: 'bad', reason: `its front matter cannot be read: ${message.slice(0, 200)}` };
  }
}

function plainKey(key: string): string {
  return key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
