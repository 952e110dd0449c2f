import type { Path, Problem } from './Problem.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const placeholder = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/**
 * Puts the environment's values for `${NAME}` into every string of `value`; `$${` stands for a plain `${`.
 * An unset one is a problem that names it, and stays as it is.
 */
export function resolvePlaceholders(
  value: unknown,
  env: Environment,
  path: Path = [],
): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const resolved = mapStrings(value, path, (text, at) => {
    return text.replace(placeholder, (match, name: string | undefined) => {
      if (match === '$${') return '${';
      const replacement = name === undefined ? undefined : env[name];
      if (replacement === undefined) problems.push({ path: at, message: explain(name) });
      return replacement ?? match;
    });
  });
  return { value: resolved, problems };
}

/** Writes a string such that `resolvePlaceholders` reads it back as it is. */
export function escapePlaceholders(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** Whether the text is one `${NAME}` and nothing else. */
export function isPlaceholder(text: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text);
}

/** Copies maps and lists, with every string in them (keys left out) replaced. */
export function mapStrings(
  value: unknown,
  path: Path,
  replace: (text: string, path: Path) => string,
): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value)) return value.map((entry, index) => mapStrings(entry, [...path, index], replace));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => [
    key,
    mapStrings(entry, [...path, key], replace),
  ]);
  return Object.fromEntries(entries);
}

function explain(name: string | undefined): string {
  if (name === undefined) return `has a "\${" that begins no \${NAME}, write $\${ for a plain one`;
  return `the environment variable ${name} is not set (write $\${${name}} for the plain text)`;
}
