// What a verdict costs grows with the rules, and for rules with a `*` with their length times the path's.
const maxRules = 2_500;
const maxLength = 100_000;
const maxWildcardLength = 10_000;

const statement = /^\s*(user-agent|allow|disallow|crawl-delay)\s*:([^#]*)/i;

/**
 * What of a robots.txt concerns us, in its words: the groups of `token`, our name, and of `*`. Null: more than
 * an honest one has, that is more than 2,500 rules or 100,000 characters, or 10,000 in rules with a `*`. So no
 * names times rules, and no stars times paths, hold anything up: what comes out is judged in milliseconds.
 */
export function boundedRules(text: string, token: string): string | null {
  const kept: string[] = [];
  const agents = new Set<string>();
  let isNaming = false;
  for (const line of text.split(/[\r\n]+/)) {
    const [, field, value = ''] = line.match(statement) ?? [];
    if (field === undefined) continue;
    if (field.toLowerCase() !== 'user-agent') {
      isNaming = false;
      if (agents.size > 0) kept.push(`${field.toLowerCase()}: ${shortPattern(value)}`);
      continue;
    }
    if (!isNaming) agents.clear();
    isNaming = true;
    const agent = agentOf(value);
    if ((agent !== '*' && agent !== token.toLowerCase()) || agents.has(agent)) continue;
    agents.add(agent);
    kept.push(`user-agent: ${agent}`);
  }
  return isExcessive(kept) ? null : kept.join('\n');
}

/** A name may stand there with its version, which does not count. */
function agentOf(value: string): string {
  return value.split('/', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Escaped as it is compared, since that makes nine characters of one; several stars say what one says. */
function shortPattern(value: string): string {
  return encodeURI(value.trim().replace(/\*+/g, '*')).replaceAll('%25', '%');
}

function isExcessive(kept: readonly string[]): boolean {
  const rules = kept.filter(line => !line.startsWith('user-agent'));
  return (
    rules.length > maxRules ||
    lengthOf(rules) > maxLength ||
    lengthOf(rules.filter(rule => rule.includes('*'))) > maxWildcardLength
  );
}

function lengthOf(rules: readonly string[]): number {
  return rules.reduce((length, rule) => length + rule.length, 0);
}
