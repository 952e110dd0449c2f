import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { ConfigFileError } from './ConfigFileError.ts';
import type { Path } from './Problem.ts';

export type YamlFile = {
  /** As YAML 1.2 reads it: maps, lists, strings, numbers, booleans, null. */
  value: unknown;
  /** Lines that YAML itself minds, ready to print. */
  problems: readonly string[];
  /** The line of what a path names, or of the nearest thing around it. */
  lineOf(path: Path): number;
};

const maxAliases = 100;

/**
 * Parses the text of `file` (its name is for messages). Throws a ConfigFileError where the text is no YAML at
 * all; keys given twice come back as problems. Messages never quote a value: it may be a secret.
 */
export function parseYaml(text: string, file: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const located = (error: YAMLError) => `${file}:${lineAt(error.pos[0])}: ${explain(error, text)}`;

  const errors = [...document.errors, ...document.warnings];
  const isUnreadable = errors.some(error => error.code !== 'DUPLICATE_KEY');
  const lostAliases = findLostAliases(document).map(offset => `${file}:${lineAt(offset)}: ${lostAlias}`);
  if (isUnreadable || lostAliases.length > 0)
    throw new ConfigFileError([...errors.map(located), ...lostAliases]);

  const lineOf = (path: Path) => lineAt(offsetOf(document, path));
  return { value: resolveAliases(document, file), problems: errors.map(located), lineOf };
}

const lostAlias = 'a value begins with "*" but names no anchor: put it in quotes';

// The library's own words quote the text here and there; these do not.
const explanations: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'a tab is used to indent: use spaces',
  BLOCK_AS_IMPLICIT_KEY: 'a second ": " in one line: put the value in quotes',
  MULTIPLE_DOCS: 'a second YAML document begins here: keep one',
  BAD_DIRECTIVE: 'a line begins with "%": put the value in quotes',
  BAD_DQ_ESCAPE: 'a "\\" in a double-quoted string begins no escape: write "\\\\" or use single quotes',
  UNEXPECTED_TOKEN: 'not valid YAML: is a quote, a comma or a bracket missing or left over?',
  TAG_RESOLVE_FAILED: 'a value begins with "!": put it in quotes',
};

function explain({ code, message, pos }: YAMLError, text: string): string {
  if (code !== 'DUPLICATE_KEY') return explanations[code] ?? `not valid YAML: ${message}`;
  const [key = ''] = /^["']?[\w.-]*/.exec(text.slice(pos[0])) ?? [];
  return `the key ${key.replace(/^["']/, '')} is given twice`;
}

function findLostAliases(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Alias(_, alias) {
      if (!alias.resolve(document)) offsets.push(alias.range?.[0] ?? 0);
    },
  });
  return offsets;
}

function resolveAliases(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch {
    throw new ConfigFileError([
      `${file}:1: aliases (*name) multiply beyond ${maxAliases}: write the values out`,
    ]);
  }
}

function offsetOf(document: Document, path: Path): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const step of path) {
    const inside = isAlias(node) ? node.resolve(document) : node;
    const found: { node: unknown; offset: number | undefined } | null = findStep(inside, step);
    if (!found) return offset;
    offset = found.offset ?? offset;
    node = isNode(found.node) ? found.node : null;
  }
  return offset;
}

// A key's own place rather than its value's: a long value may begin lines below.
function findStep(node: unknown, step: string | number) {
  if (isSeq(node) && typeof step === 'number') {
    const child = node.items[step];
    return { node: child, offset: isNode(child) ? child.range?.[0] : undefined };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
  return pair ? { node: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined } : null;
}
