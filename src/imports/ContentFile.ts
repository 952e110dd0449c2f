/** A Markdown file of a folder or an archive; `path` is within it, with slashes. `row` counts them. */
export type ContentFile =
  | { kind: 'file'; row: number; path: string; bytes: Buffer }
  | { kind: 'bad'; row: number; path: string; reason: string }
  | { kind: 'unreadable'; reason: string };

/** Whether a file is looked at: Markdown, and not in a hidden folder or in one of packages. */
export function isContent(path: string): boolean {
  const parts = path.split('/');
  const isHidden = parts.some(part => (part.startsWith('.') && part !== '.') || ignored.has(part));
  return !isHidden && /\.(md|mdx|markdown|mdown|mkd)$/i.test(path);
}

/** Whether nothing below such a folder is looked at. */
export function isIgnoredFolder(name: string): boolean {
  return name.startsWith('.') || ignored.has(name);
}

/** The path of an archive's entry; null: it leads out of the archive, which no honest one does. */
export function pathOfEntry(name: string): string | null {
  const path = name.replaceAll('\\', '/');
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.split('/').includes('..')) return null;
  return path.replace(/^(\.\/)+/, '');
}

/** Why an archive is refused of which an entry leads out of it. */
export function leadsOut(name: string): string {
  return `it holds ${JSON.stringify(name.slice(0, 100))}, a path that leads out of it`;
}

const ignored = new Set(['node_modules', '__MACOSX']);
