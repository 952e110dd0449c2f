import { isDeepStrictEqual } from 'node:util';
import type { Secrets } from '../secrets.ts';
import type { Fields } from './configFields.ts';

/** One key that changes, as `config.yaml` writes it; null: it was not there, or will not be. */
export type FieldChange = { field: string; from: unknown; to: unknown };

/** What changes between two states of an entry; `from` null: it is new. Undefined fields change nothing. */
export function diffFields(from: Fields | null, to: Fields): FieldChange[] {
  const fields = new Set([...Object.keys(from ?? {}), ...Object.keys(to)]);
  return [...fields].flatMap(field => {
    const isUnstated = Object.hasOwn(to, field) && to[field] === undefined;
    const before = from?.[field] ?? null;
    const after = to[field] ?? null;
    return isUnstated || isDeepStrictEqual(before, after) ? [] : [{ field, from: before, to: after }];
  });
}

/** Which secrets change, by their plain values, of which nothing is shown. */
export function diffSecrets(from: Secrets, to: Secrets): FieldChange[] {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].flatMap(field => {
    const [before, after] = [from[field], to[field]];
    if (isDeepStrictEqual(before?.value, after?.value)) return [];
    const isReplaced = before !== undefined && after !== undefined;
    const shown = isReplaced ? '(secret) changed' : '(secret)';
    return [{ field, from: before ? '(secret)' : null, to: after ? shown : null }];
  });
}
