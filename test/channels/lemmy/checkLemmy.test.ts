import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenLemmy, openLemmy, versions } from './openLemmy.ts';

let place: OpenLemmy;

afterEach(() => place.open.close());

describe.each(versions)('a check on Lemmy %s', version => {
  beforeEach(async () => {
    place = await openLemmy(version);
    place.fake.world.settings.showNsfw = true;
  });

  const findings = async (settings: object = {}) => place.as(settings).check();
  const wrong = async (settings: object = {}) =>
    (await findings(settings))
      .filter(({ isOk }) => !isOk)
      .map(({ subject, detail }) => `${subject}: ${detail}`);

  it('finds nothing wrong, and posts nothing', async () => {
    const found = await findings();

    expect(found.map(({ subject, isOk }) => [subject, isOk])).toEqual([
      ['credentials', true],
      ['rights', true],
      ['visibility', true],
      ['limits', true],
    ]);
    expect(found.at(-1)?.detail).toMatch(/6 posts in \d00 s/);
    expect(place.fake.posts()).toEqual([]);
  });

  it('finds a session that is not taken any more', async () => {
    await place.user.session();
    place.fake.server.revokeTokens();

    const found = await place.user.check();

    expect(found).toMatchObject([{ subject: 'credentials', isOk: false }]);
  });

  it('finds a community that does not exist', async () => {
    const [first = ''] = await wrong({ target: 'olds' });

    expect(first).toMatch(/^rights: olds: HTTP 40[04]/);
  });

  it.each([
    ['a ban', { bannedIds: [2] }, 'banned'],
    ['a community of moderators', { isModsOnly: true }, 'only moderators'],
    ['a removed community', { isRemoved: true }, 'deleted or removed'],
  ])('finds %s', async (_name, change, words) => {
    Object.assign(place.fake.world.news, change);

    const found = await wrong();

    expect(found.join()).toMatch(new RegExp(`rights: .*${words}`));
  });

  it.each([
    ['bots', { showBots: false }, 'Show bot accounts'],
    ['languages', { languageIds: [37] }, 'Undetermined'],
  ])('says what to change where the account hides %s', async (_name, settings, words) => {
    Object.assign(place.fake.world.settings, settings);

    const found = await wrong();

    expect(found).toEqual([expect.stringContaining(words)]);
  });
});

describe('a check on Lemmy 0.19', () => {
  beforeEach(async () => {
    place = await openLemmy('0.19');
  });

  it('asks for read posts only where duplicates are looked for', async () => {
    place.fake.world.settings.showRead = false;

    const on = await place.user.check();
    const off = await place.as({ duplicates: 'off' }).check();

    expect(on.filter(({ isOk }) => !isOk)).toHaveLength(1);
    expect(off.filter(({ isOk }) => !isOk)).toEqual([]);
  });

  it('tells what of others is not seen', async () => {
    const found = await place.user.check();

    expect(found.map(({ detail }) => detail).join()).toContain('not safe for work are not seen');
  });
});
