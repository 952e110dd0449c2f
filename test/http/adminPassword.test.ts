import { describe, expect, it } from 'vitest';
import { openAdminPassword } from '../../src/http/adminPassword.ts';
import { readSetting } from '../../src/models/settings.ts';
import { useDatabase } from '../support/database.ts';
import { FakeClock } from '../support/fakeClock.ts';

const address = '192.0.2.1';

describe('openAdminPassword', () => {
  const database = useDatabase();

  async function open({
    configured = null as string | null,
    clock = new FakeClock('2026-09-07T08:30:00Z'),
  } = {}) {
    const { generated, check } = await openAdminPassword({ db: database.db, configured, clock });
    const logIn = (password: string, { user = 'admin', from = address } = {}) =>
      check({ user, password, address: from });
    return { generated, logIn, clock };
  }

  it('generates a long password at the first start and tells it once', async () => {
    const first = await open();

    const later = await open();

    expect(first.generated).toMatch(/^[\w-]{20,}$/);
    expect(later.generated).toBeNull();
    expect(await first.logIn(String(first.generated))).toBe('accepted');
    expect(await later.logIn(String(first.generated))).toBe('accepted');
  });

  it('stores a hash and nowhere the password', async () => {
    const { generated } = await open();

    const { rows } = await database.db.raw('select settings::text as line from settings');

    expect(JSON.stringify(rows)).not.toContain(generated);
    expect(await readSetting(database.db, 'admin_password')).toMatchObject({ algorithm: 'scrypt' });
  });

  it('makes one password when several processes start at once', async () => {
    const started = await Promise.all([open(), open(), open()]);

    const generated = started.map(({ generated }) => generated).filter(password => password !== null);
    expect(generated).toHaveLength(1);
    const verdicts = await Promise.all(started.map(({ logIn }) => logIn(String(generated[0]))));
    expect(verdicts).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('takes a configured password and stores nothing', async () => {
    const { generated, logIn } = await open({ configured: 'correct horse' });

    expect(generated).toBeNull();
    expect(await logIn('correct horse')).toBe('accepted');
    expect(await readSetting(database.db, 'admin_password')).toBeNull();
  });

  it.each([
    ['another password', 'wrong horse', 'admin'],
    ['an empty password', '', 'admin'],
    ['a longer password', 'correct horse battery', 'admin'],
    ['another user', 'correct horse', 'root'],
  ])('refuses %s', async (_case, password, user) => {
    const { logIn } = await open({ configured: 'correct horse' });

    expect(await logIn(password, { user })).toBe('refused');
  });

  it('refuses a wrong password after the right one was seen', async () => {
    const { generated, logIn } = await open();
    await logIn(String(generated));

    expect(await logIn('wrong')).toBe('refused');
    expect(await logIn(String(generated))).toBe('accepted');
  });

  it('makes an address wait after ten failures, even with the right password, until a minute has passed', async () => {
    const { logIn, clock } = await open({ configured: 'right' });
    for (let tries = 0; tries < 10; tries += 1) expect(await logIn('wrong')).toBe('refused');

    expect(await logIn('right')).toBe('throttled');
    clock.advance({ ms: 59_999 });
    expect(await logIn('right')).toBe('throttled');
    clock.advance({ ms: 1 });
    expect(await logIn('right')).toBe('accepted');
  });

  it('lets other addresses in meanwhile', async () => {
    const { logIn } = await open({ configured: 'right' });
    for (let tries = 0; tries < 10; tries += 1) await logIn('wrong');

    expect(await logIn('right', { from: '192.0.2.2' })).toBe('accepted');
  });

  it('does not count failures that lie more than a minute apart', async () => {
    const { logIn, clock } = await open({ configured: 'right' });
    for (let tries = 0; tries < 9; tries += 1) await logIn('wrong');
    clock.advance({ minutes: 1 });

    for (let tries = 0; tries < 9; tries += 1) await logIn('wrong');

    expect(await logIn('right')).toBe('accepted');
  });
});
