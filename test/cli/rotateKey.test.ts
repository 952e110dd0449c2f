import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSecretBox, openSecrets, sealSecrets } from '../../src/secrets.ts';
import { useDatabase } from '../support/database.ts';
import { createAccount, createWorkspace } from '../support/factories.ts';
import { useHeadway } from '../support/headway.ts';

const database = useDatabase();
const { headway, write } = useHeadway({ databaseUrl: () => database.url });

const config = `
workspaces:
  - { name: default }
accounts:
  - { name: bot, platform: webhook, secret: "\${HOOK_SECRET}" }
channels:
  - { name: hook, platform: webhook, url: "https://hooks.example/in", secret: "\${HOOK_SECRET}" }
`;
const secrets = { HOOK_SECRET: 'hunter2-hook' };
const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('hex')];

/** What the accounts hold, opened with one key. */
async function opened(key: string): Promise<unknown[]> {
  const box = createSecretBox(Buffer.from(key, key.length === 64 ? 'hex' : 'base64'));
  const sealed: (Buffer | null)[] = await database.db('accounts').orderBy('id').pluck('secrets');
  return sealed.map(each => openSecrets(each, box, 'accounts'));
}

describe('headway rotate-key', () => {
  it('makes a new key in the data folder, with which everything goes on', async () => {
    // None of the data folder's parts is there yet; the setting is set to nothing.
    const env = { ...secrets, HEADWAY_SECRET_KEY: '', HEADWAY_DATA_DIR: await folderOfItsOwn() };
    const path = join(env.HEADWAY_DATA_DIR, 'secret.key');
    const file = await write('config.yaml', config);
    await headway(['apply', file], { env });
    const before = (await readFile(path, 'utf8')).trim();

    const rotated = await headway(['rotate-key', '--json'], { env });
    const again = await headway(['rotate-key'], { env });
    const applied = await headway(['apply', file], { env });

    const after = (await readFile(path, 'utf8')).trim();
    expect(rotated).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rotated.json()).toEqual({
      source: 'file',
      path,
      resealed: { accounts: 1, channels: 1, sessions: 0 },
      clearedSessions: [],
    });
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    expect(again.stdout).toContain('Sealed anew: 1 account, 1 channel, 0 sessions.');
    expect(again.stdout).toContain(`${path} holds the new key alone: keep a copy.`);
    expect(applied.stdout).toContain('3 up to date');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(after).toMatch(/^[\w+/]{43}=$/);
    const told = JSON.stringify(await database.db('audit_log')) + rotated.stdout + again.stdout;
    for (const secret of ['hunter2', before, after]) expect(told).not.toContain(secret);
  });

  it('seals with the first key of the setting, and then the old one may go', async () => {
    const file = await write('config.yaml', config);
    await headway(['apply', file], { env: { ...secrets, HEADWAY_SECRET_KEY: oldKey } });
    const both = await write('keys', `${newKey}\n${oldKey}\n`);

    const env = { HEADWAY_SECRET_KEY: '', HEADWAY_SECRET_KEY_FILE: both };
    const rotated = await headway(['rotate-key'], { env });
    const alone = await headway(['export'], { env: { HEADWAY_SECRET_KEY: newKey } });

    expect(rotated).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rotated.stdout).toContain('sealed with the first key of HEADWAY_SECRET_KEY');
    expect(rotated.stdout).toContain('may be removed');
    expect(await opened(newKey)).toEqual([{ secret: { value: 'hunter2-hook', from: `\${HOOK_SECRET}` } }]);
    expect(alone).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await readFile(both, 'utf8')).toBe(`${newKey}\n${oldKey}\n`);
  });

  it('says what to do where the setting holds one key', async () => {
    const ran = await headway(['rotate-key', '--json'], { env: { HEADWAY_SECRET_KEY: oldKey } });

    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(
      'put the new key in front of the old one ("NEW OLD"), restart every process',
    );
    expect(ran.stderr).not.toContain(oldKey);
  });

  it('fails without a change where no key opens a secret, and names who holds it', async () => {
    const workspaceId = await createWorkspace(database.db, { name: 'news' });
    const sealed = (key: string) => {
      const box = createSecretBox(Buffer.from(key, 'base64'));
      return sealSecrets({ secret: { value: 'hunter2', from: null } }, box, 'accounts');
    };
    const lostKey = randomBytes(32).toString('base64');
    await createAccount(database.db, workspaceId, { name: 'bot', secrets: sealed(oldKey) });
    await createAccount(database.db, workspaceId, {
      name: 'lost',
      secrets: sealed(lostKey),
      archived_at: new Date('2026-11-30T09:00:00Z'),
    });
    const before = await database.db('accounts').orderBy('id');

    const keys = `${randomBytes(32).toString('base64')},${oldKey}`;
    const ran = await headway(['rotate-key'], { env: { HEADWAY_SECRET_KEY: keys } });

    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toContain('Nothing was changed');
    expect(ran.stderr).toContain('account "lost" (workspace news, archived)');
    expect(ran.stderr).not.toContain('"bot"');
    for (const secret of ['hunter2', ...keys.split(',')]) expect(ran.stderr).not.toContain(secret);
    expect(await database.db('accounts').orderBy('id')).toEqual(before);
  });

  it('refuses keys of the wrong form, naming the place and not the key', async () => {
    const dataDir = await folderOfItsOwn();
    await headway(['status'], { env: { HEADWAY_SECRET_KEY: '', HEADWAY_DATA_DIR: dataDir } });
    const path = join(dataDir, 'secret.key');
    await writeFile(path, `${oldKey} hunter22`);

    const ofFile = await headway(['rotate-key'], {
      env: { HEADWAY_SECRET_KEY: '', HEADWAY_DATA_DIR: dataDir },
    });
    const ofSetting = await headway(['rotate-key'], { env: { HEADWAY_SECRET_KEY: `${oldKey} hunter22` } });

    expect(ofFile).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ofFile.stderr).toContain(`${path} is not a list of secret keys (number 2 of 2 is none), allowed:`);
    expect(ofSetting).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ofSetting.stderr).toContain(
      'HEADWAY_SECRET_KEY is not a list of secret keys (number 2 of 2 is none)',
    );
    for (const secret of [oldKey, 'hunter22']) expect(ofFile.stderr + ofSetting.stderr).not.toContain(secret);
  });

  it('helps with an example', async () => {
    const ran = await headway(['rotate-key', '--help']);

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain('$ headway rotate-key');
    expect(ran.stdout).toContain('running servers notice by themselves');
  });
});

/** A place for a data folder that no other test of the file has. */
async function folderOfItsOwn(): Promise<string> {
  const marker = await write(`data-${randomBytes(4).toString('hex')}`, '');
  return `${marker}.d`;
}
