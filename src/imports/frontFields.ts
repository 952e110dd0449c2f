/** What front matter holds, by the names of its keys in lower case, without punctuation. */
export type Fields = ReadonlyMap<string, unknown>;

/** Whether a key is set to yes. */
export function isTrue(value: unknown): boolean {
  return typeof value === 'string' && /^(true|yes)$/i.test(value);
}

/** The first of these keys that has a text. */
export function firstText(fields: Fields, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fields.get(key);
    if (typeof value === 'string' && value.trim() !== '' && !/^(~|null)$/i.test(value.trim()))
      return value.trim();
  }
  return undefined;
}

/** The texts under all of these keys: lists, or words between commas; of an entry with a name, that. */
export function listed(fields: Fields, keys: readonly string[]): string[] {
  return keys.flatMap(key => {
    const value = fields.get(key);
    if (typeof value === 'string')
      return value
        .split(',')
        .map(each => each.trim())
        .filter(each => each !== '');
    return entriesOf(value)
      .map(each => (typeof each === 'string' ? each : textIn(each, ['name', 'title'])))
      .filter(isText);
  });
}

/** The first of these keys of an object that has a text; nothing for what is no object. */
export function textIn(value: unknown, keys: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return firstText(new Map(Object.entries(value)), keys);
}

function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
