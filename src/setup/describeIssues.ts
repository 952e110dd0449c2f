import type { z } from 'zod';
import { didYouMean } from '../didYouMean.ts';
import type { Path, Problem } from './Problem.ts';

type Issue = z.core.$ZodIssue;

/** What a message may know of the map that it is about. */
export type Described = {
  path: Path;
  /** As the file has it, `${NAME}` and all: what the environment gave is never shown. */
  written: unknown;
  knownKeys: readonly string[];
  secretKeys: readonly string[];
  /** Values that no message may hold: a platform's schema words its own. */
  secretValues: readonly string[];
};

const maxShown = 80;

/** Words the findings of a schema: what is wrong, what was got, what is allowed. */
export function describeIssues(issues: readonly Issue[], described: Described): Problem[] {
  return issues.flatMap(openUnion).flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return describeUnknownKeys(issue.keys, issue.path, described);
    const inner = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step));
    return [{ path: [...described.path, ...inner], message: describeIssue(issue, inner, described) }];
  });
}

/** A value in a message: never long, never more than the kind of a list or a map. */
export function showValue(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value !== 'string') return String(value);
  const shown = value.replace(/\/\/[^/@]*@/, '//(hidden)@');
  return JSON.stringify(shown.length > maxShown ? `${shown.slice(0, maxShown)}…` : shown);
}

// Of several forms that are allowed, the one that was meant: its own words help more than "invalid input".
function openUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isMeant = (branch: readonly Issue[]) =>
    branch.every(({ code, path }) => code !== 'invalid_type' || path.length);
  const meant = issue.errors.find(isMeant) ?? [];
  const inner = meant.map(one => ({ ...one, path: [...issue.path, ...one.path] })).flatMap(openUnion);
  return inner.length > 0 ? inner : [issue];
}

function describeUnknownKeys(keys: readonly string[], path: PropertyKey[], described: Described): Problem[] {
  const inner = path.map(step => (typeof step === 'symbol' ? String(step) : step));
  const known = inner.length === 0 ? described.knownKeys : [];
  const allowed = known.length > 0 ? `, allowed ${known.join(', ')}` : '';
  return keys.map(key => ({
    path: [...described.path, ...inner, key],
    message: `unknown key${allowed}${didYouMean(key, known)}`,
  }));
}

function describeIssue(issue: Issue, path: Path, described: Described): string {
  const { written, secretKeys, secretValues } = described;
  const value = path.reduce<unknown>(stepInto, written);
  if (value === undefined && isAbsence(issue)) return `is missing${allowedBy(issue)}`;
  const isSecret = secretKeys.includes(String(path[0])) || hidesValue(issue);
  const isWhole = path.length === 0 || value === undefined;
  const got = isWhole ? '' : `, got ${isSecret ? '(secret)' : showValue(value)}`;
  return `${whatIsWrong(issue, secretValues)}${got}${allowedBy(issue)}`;
}

/** A platform's schema may know that a wrong value is likely a secret that stands in the wrong place. */
function hidesValue(issue: Issue): boolean {
  return issue.code === 'custom' && issue.params?.hidesValue === true;
}

function whatIsWrong(issue: Issue, secretValues: readonly string[]): string {
  if (issue.code === 'invalid_type') return `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return 'is none of the choices';
  if (issue.code === 'invalid_union')
    return `must be ${formsOf(issue.errors).join(' or ') || 'something else'}`;
  const message = hideSecrets(issue.message, secretValues);
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function formsOf(branches: readonly (readonly Issue[])[]): string[] {
  const expected = branches.flat().flatMap(one => (one.code === 'invalid_type' ? one.expected : []));
  return [...new Set(expected.map(kind => kinds[kind] ?? kind))];
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string (numbers in quotes)',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function allowedBy(issue: Issue): string {
  if (issue.code === 'invalid_value') return `, allowed ${issue.values.map(String).join(', ')}`;
  const allowed: unknown = issue.code === 'custom' ? issue.params?.allowed : undefined;
  return typeof allowed === 'string' ? `, allowed ${allowed}` : '';
}

function isAbsence(issue: Issue): boolean {
  if (issue.code === 'custom') return issue.params?.isMissing === true;
  return issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union';
}

function stepInto(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return Reflect.get(value, step);
}

function hideSecrets(message: string, secretValues: readonly string[]): string {
  // What is so short is no secret, and would be found in the middle of words.
  return secretValues
    .filter(value => value.length > 3)
    .reduce((shown, value) => shown.replaceAll(value, () => '(secret)'), message);
}
