import { describe, expect, it } from 'vitest';
import { openMastodon } from './openMastodon.ts';

const bad = (findings: readonly { isOk: boolean }[]) => findings.filter(({ isOk }) => !isOk);

describe("mastodon's check", () => {
  it('tells what it found, and posts nothing', async () => {
    const { user, open } = await openMastodon();

    const findings = await user.check();

    expect(bad(findings)).toEqual([]);
    expect(findings.map(({ subject }) => subject)).toEqual([
      'credentials',
      'rights',
      'rights',
      'visibility',
      'limits',
    ]);
    expect(findings).toContainEqual({
      subject: 'limits',
      isOk: true,
      detail: '500 characters, a link counts 23, pictures up to 16384 kB (4.4.1)',
    });
    expect(open.sent()).toEqual([]);
  });

  it('ends at a token that is refused', async () => {
    const { user, fake } = await openMastodon();
    await user.session();
    fake.token = 'another';

    expect(await user.check()).toEqual([
      { subject: 'credentials', isOk: false, detail: expect.stringContaining('The access token is invalid') },
    ]);
  });

  it('names the scopes that are missing', async () => {
    const { user, fake } = await openMastodon();
    fake.scopes = ['read:accounts', 'write:statuses'];

    expect(bad(await user.check())).toEqual([
      { subject: 'rights', isOk: false, detail: expect.stringContaining('(read:statuses)') },
      {
        subject: 'rights',
        isOk: false,
        detail: 'its application lacks the scopes read:statuses write:media',
      },
    ]);
  });

  it('says nothing of scopes that a server does not tell', async () => {
    const { user, open } = await openMastodon();
    const on = ({ path }: { path: string }) => path === '/api/v1/apps/verify_credentials';
    open.plan({ when: 'before', behaviour: { kind: 'answer', status: 200, body: '{"name":"x"}' }, on });

    const findings = await user.check();

    expect(findings.filter(({ subject }) => subject === 'rights')).toHaveLength(1);
  });

  it('warns of followers-only posts on snac, which cannot be looked up', async () => {
    const { use } = await openMastodon({ flavour: 'snac' });

    const withSearch = await use({ visibility: 'private' }).check();
    const without = await use({ visibility: 'private', duplicates: 'off' }).check();

    expect(bad(withSearch)).toMatchObject([
      { subject: 'visibility', detail: expect.stringContaining('has to be off') },
    ]);
    expect(bad(without)).toMatchObject([{ subject: 'visibility' }]);
  });

  it('warns of a content warning that leaves no room', async () => {
    const { use } = await openMastodon();

    const findings = await use({ contentWarning: 'x'.repeat(478) }).check();

    expect(bad(findings)).toMatchObject([
      { subject: 'limits', detail: expect.stringContaining('no room for a link') },
    ]);
  });
});
