import type { Secret, Secrets, SecretValue } from '../secrets.ts';
import type { Entry } from './Entry.ts';
import type { Problem } from './Problem.ts';
import { isPlaceholder } from './resolvePlaceholders.ts';
import { secretForm } from './schemaParts.ts';

/**
 * Parts an entry's secret keys from the others. Null, and the problems, where a secret is neither text nor
 * a list of texts: that is all that can be sealed and exported again.
 */
export function takeSecrets(
  { path, written, value }: Entry,
  secretKeys: readonly string[],
  problems: Problem[],
): { secrets: Secrets; rest: Readonly<Record<string, unknown>> } | null {
  const secrets: Record<string, Secret> = {};
  const rest: Record<string, unknown> = {};
  let isWhole = true;
  for (const [key, given] of Object.entries(value)) {
    if (!secretKeys.includes(key)) rest[key] = given;
    else if (isSecretValue(given)) secrets[key] = { value: given, from: placeholdersIn(written[key]) };
    else {
      isWhole = false;
      problems.push({ path: [...path, key], message: `must be text, got (secret), allowed ${secretForm}` });
    }
  }
  return isWhole ? { secrets, rest } : null;
}

function isSecretValue(value: unknown): value is SecretValue {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every(one => typeof one === 'string' && one !== '');
}

function placeholdersIn(written: unknown): SecretValue | null {
  const texts: unknown[] = Array.isArray(written) ? written : [written];
  const isOnlyPlaceholders = texts.every(text => typeof text === 'string' && isPlaceholder(text));
  return isOnlyPlaceholders && isSecretValue(written) ? written : null;
}
