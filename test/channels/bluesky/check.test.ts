import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bluesky } from '../../../src/channels/bluesky.ts';
import { openChannel } from '../openChannel.ts';
import { type OpenBluesky, openBluesky } from './openBluesky.ts';

let open: OpenBluesky;

beforeEach(async () => {
  open = await openBluesky();
});

afterEach(() => open.server.close());

describe('checking a Bluesky channel', () => {
  it('says who is logged in, with what rights, and what is left of the limits', async () => {
    const findings = await open.user().check();

    expect(findings).toEqual([
      { subject: 'credentials', isOk: true, detail: `logged in as ${open.fake.handle} (${open.fake.did})` },
      { subject: 'rights', isOk: true, detail: 'by an app password' },
      {
        ...{ subject: 'visibility', isOk: true },
        detail: 'the account is active; its e-mail address is not confirmed',
      },
      { subject: 'limits', isOk: true, detail: '2998 of 3000 requests left until 2026-09-07T08:35:01.000Z' },
    ]);
    expect(open.server.sent()).toEqual([]);
  });

  it("finds the account's own password where an app password should be", async () => {
    const { url } = open.server;
    const account = { instance: url, username: open.fake.handle, appPassword: open.fake.password };
    const user = openChannel({ channel: bluesky, secrets: [open.fake.password] }, { settings: {}, account });

    const findings = await user.check();

    expect(findings).toContainEqual({
      ...{ subject: 'rights', isOk: false },
      detail: expect.stringContaining('make an app password'),
    });
  });

  it('finds an account that its owner has deactivated since', async () => {
    const user = open.user();
    await user.session();
    open.fake.becomes('deactivated');

    expect(await user.check()).toContainEqual({
      ...{ subject: 'visibility', isOk: false },
      detail: 'the account is deactivated',
    });
  });

  it('finds an account that was taken down since, in the words of the PDS', async () => {
    const user = open.user();
    await user.session();
    open.fake.becomes('takendown');

    expect(await user.check()).toContainEqual({
      ...{ subject: 'credentials', isOk: false },
      detail: expect.stringContaining('Could not find user info'),
    });
  });

  it('finds a handle that has changed', async () => {
    const user = open.user();
    await user.session();
    const renamed = { did: open.fake.did, handle: 'new.pds.test', active: true };
    open.server.plan({
      when: 'before',
      behaviour: { kind: 'answer', status: 200, body: JSON.stringify(renamed) },
      on: ({ path }) => path.endsWith('getSession'),
    });

    const findings = await user.check();

    expect(findings).toContainEqual({
      ...{ subject: 'settings', isOk: false },
      detail: expect.stringContaining('the account is now called new.pds.test'),
    });
    expect(findings).toContainEqual(expect.objectContaining({ detail: 'the server tells no rate limits' }));
  });

  it('says what is wrong where there is no answer', async () => {
    const user = open.user();
    await user.session();
    open.server.plan({ when: 'before', behaviour: { kind: 'reset' }, on: () => true });

    expect(await user.check()).toMatchObject([{ subject: 'credentials', isOk: false }]);
  });
});
