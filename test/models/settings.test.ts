import { describe, expect, it } from 'vitest';
import { readSetting, writeSettingOnce } from '../../src/models/settings.ts';
import { useDatabase } from '../support/database.ts';

const now = new Date('2026-09-07T08:30:00Z');

describe('settings', () => {
  const database = useDatabase();

  it('answers null for what is not kept', async () => {
    expect(await readSetting(database.db, 'absent')).toBeNull();
  });

  it('keeps a value, whatever its shape', async () => {
    await writeSettingOnce(database.db, 'an_object', { a: [1, 'two'] }, now);
    await writeSettingOnce(database.db, 'a_text', 'plain', now);

    expect(await readSetting(database.db, 'an_object')).toEqual({ a: [1, 'two'] });
    expect(await readSetting(database.db, 'a_text')).toBe('plain');
  });

  it('keeps the first value when it is written again', async () => {
    const first = await writeSettingOnce(database.db, 'key', 1, now);

    const second = await writeSettingOnce(database.db, 'key', 2, now);

    expect([first, second]).toEqual([true, false]);
    expect(await readSetting(database.db, 'key')).toBe(1);
  });

  it('lets exactly one of several writers at once win', async () => {
    const writers = [1, 2, 3, 4, 5];

    const won = await Promise.all(writers.map(value => writeSettingOnce(database.db, 'key', value, now)));

    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await readSetting(database.db, 'key')).toBe(writers[won.indexOf(true)]);
  });
});
