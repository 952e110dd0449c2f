import type { Secrets, SecretValue } from '../secrets.ts';
import { isPlaceholder } from './resolvePlaceholders.ts';

type Owner = { kind: 'account' | 'channel'; id: number; name: string; secrets: Secrets };

/** `name` without the `${}`; `owner`: whose secret it is, for people. */
export type Placeholder = { name: string; owner: string };

export type Placeholders = {
  names: readonly Placeholder[];
  /** The secret keys of one row with placeholders for values. */
  secretsOf(kind: Owner['kind'], id: number): Readonly<Record<string, SecretValue>>;
};

/**
 * Gives every secret a `${NAME}`: the one that it came from, unless that now stands for another value too, else
 * one made of its owner's name.
 */
export function namePlaceholders(owners: readonly Owner[]): Placeholders {
  const valuesByName = new Map<string, string>();
  const names: Placeholder[] = [];
  const secrets = new Map<string, Record<string, SecretValue>>();

  const nameFor = (value: string, from: string | null, derived: string, owner: string): string => {
    const isFree = (name: string) => (valuesByName.get(name) ?? value) === value;
    const name = from !== null && isFree(from) ? from : firstFree(derived, isFree);
    if (!valuesByName.has(name)) names.push({ name, owner });
    valuesByName.set(name, value);
    return `\${${name}}`;
  };

  // Names that were given come first, so that none that is made takes one of them.
  const all = owners.flatMap(owner =>
    Object.entries(owner.secrets).map(([key, secret]) => ({ owner, key, secret })),
  );
  const given = all.filter(({ secret }) => secret.from !== null);
  const nameless = all.filter(({ secret }) => secret.from === null);
  for (const { owner, key, secret } of [...given, ...nameless]) {
    const derived = ['HEADWAY', owner.kind, owner.name, key].map(toUpperSnake).join('_');
    const about = `${owner.kind} ${owner.name}, ${key}`;
    const named = mapTexts(secret.value, (value, index) =>
      nameFor(value, nameIn(secret.from, index), derived, about),
    );
    const rowKey = `${owner.kind}:${owner.id}`;
    secrets.set(rowKey, { ...secrets.get(rowKey), [key]: named });
  }
  return { names, secretsOf: (kind, id) => secrets.get(`${kind}:${id}`) ?? {} };
}

function firstFree(name: string, isFree: (name: string) => boolean): string {
  if (isFree(name)) return name;
  let number = 2;
  while (!isFree(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}

function mapTexts(value: SecretValue, map: (text: string, index: number) => string): SecretValue {
  return typeof value === 'string' ? map(value, 0) : value.map(map);
}

function nameIn(from: SecretValue | null, index: number): string | null {
  const text = typeof from === 'string' ? from : from?.[index];
  return text !== undefined && isPlaceholder(text) ? text.slice(2, -1) : null;
}

function toUpperSnake(text: string): string {
  const letters = text.normalize('NFD').replace(/\p{M}/gu, '');
  const words = letters.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return words.replace(/^_|_$/g, '').toUpperCase();
}
