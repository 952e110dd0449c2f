import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listSealed, type SealedPlace, sealedPlaces } from '../../src/models/sealedRows.ts';
import { loadSecretKeys } from '../../src/secretKey.ts';
import { createSecretBox, fixedRing, type KeyRing, type Keys, type SecretBox } from '../../src/secrets.ts';
import { clearedSessions, countResealed, type Rotation, rotateKey } from '../../src/setup/rotateKey.ts';
import { useDatabase } from '../support/database.ts';
import { createAccount, createChannel, createWorkspace } from '../support/factories.ts';

const test = useDatabase();
const now = new Date('2026-11-30T09:00:00Z');
const later = new Date('2026-12-01T09:00:00Z');
const by = { actor: 'cli', now };

let dataDir: string;
let path: string;
let logged: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'headway-'));
  path = join(dataDir, 'secret.key');
  logged = '';
});

afterEach(() => rm(dataDir, { recursive: true }));

/** As a process does that starts now. */
function loadRing(): Promise<KeyRing> {
  const write = (line: string) => {
    logged += line;
  };
  const logger = pino({ base: null, level: 'trace' }, { write });
  return loadSecretKeys({ secretKey: null, dataDir, hasSealed: async () => false, logger });
}

/** Two accounts (one archived, one with a session) and two channels (one archived), and some without secrets. */
async function seal(box: SecretBox): Promise<{ workspaceId: number }> {
  const { db } = test;
  const workspaceId = await createWorkspace(db, { name: 'news' });
  await createAccount(db, workspaceId, {
    name: 'bot',
    secrets: box.seal('hunter2-bot', 'accounts'),
    session: box.seal('hunter2-session', 'sessions'),
    session_expires_at: later,
    session_revision: 3,
  });
  await createAccount(db, workspaceId, {
    name: 'gone',
    secrets: box.seal('hunter2-gone', 'accounts'),
    archived_at: now,
  });
  await createAccount(db, workspaceId, { name: 'open' });
  await createChannel(db, workspaceId, { name: 'hook', secrets: box.seal('hunter2-hook', 'channels') });
  await createChannel(db, workspaceId, {
    name: 'closed',
    secrets: box.seal('hunter2-closed', 'channels'),
    archived_at: now,
  });
  await createChannel(db, workspaceId, { name: 'outbox' });
  return { workspaceId };
}

const everything = {
  accounts: ['hunter2-bot', 'hunter2-gone'],
  channels: ['hunter2-hook', 'hunter2-closed'],
  sessions: ['hunter2-session'],
};

/** What is stored, opened: throws where it cannot be. */
async function openAll(box: SecretBox): Promise<Record<SealedPlace, string[]>> {
  const open = async (place: SealedPlace) =>
    (await listSealed(test.db, place)).map(({ sealed }) => box.open(sealed, place));
  return {
    accounts: await open('accounts'),
    channels: await open('channels'),
    sessions: await open('sessions'),
  };
}

async function snapshot(): Promise<unknown> {
  const rows = await Promise.all(sealedPlaces.map(place => listSealed(test.db, place)));
  return { rows, audit: await test.db('audit_log') };
}

function countsOf(rotation: Rotation): Record<SealedPlace, number> {
  if (rotation.kind !== 'rotated') throw new Error(`not rotated: ${rotation.kind}`);
  return countResealed(rotation.changed);
}

describe('rotateKey of a key file', () => {
  it('seals everything with a new key, archived rows too, and keeps that key alone', async () => {
    const old = await loadRing();
    await seal(createSecretBox(old));
    const [oldKey] = old.keys;

    const rotation = await rotateKey({ db: test.db, ring: await loadRing() }, by);

    const { keys } = await loadRing();
    expect(countsOf(rotation)).toEqual({ accounts: 2, channels: 2, sessions: 1 });
    expect(keys).toHaveLength(1);
    expect(keys[0].equals(oldKey)).toBe(false);
    expect(await openAll(createSecretBox(keys[0]))).toEqual(everything);
    await expect(openAll(createSecretBox(oldKey))).rejects.toThrow('cannot be opened');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['secret.key']);
  });

  it('has both keys in the file, for its owner only, while rows are sealed anew', async () => {
    const ring = await loadRing();
    await seal(createSecretBox(ring));
    const seen: { keys: number; mode: number }[] = [];
    const watched = withFile(ring, async (replace, keys) => {
      await replace(keys);
      seen.push({ keys: (await loadRing()).keys.length, mode: (await stat(path)).mode & 0o777 });
    });

    await rotateKey({ db: test.db, ring: watched }, by);

    expect(seen).toEqual([
      { keys: 2, mode: 0o600 },
      { keys: 1, mode: 0o600 },
    ]);
  });

  it('makes a new key where nothing is sealed, too', async () => {
    const [oldKey] = (await loadRing()).keys;

    const rotation = await rotateKey({ db: test.db, ring: await loadRing() }, by);

    const { keys } = await loadRing();
    expect(countsOf(rotation)).toEqual({ accounts: 0, channels: 0, sessions: 0 });
    expect(keys).toHaveLength(1);
    expect(keys[0].equals(oldKey)).toBe(false);
  });

  it.each([
    ['before the new key was in the file', 1, 'before'],
    ['when the new key was in the file, and no row sealed with it', 1, 'after'],
    ['when the rows were sealed anew, and the old key was still there', 2, 'before'],
    ['when all was done, and not yet told', 2, 'after'],
  ] as const)('finishes, run again, what was killed %s', async (_, killedAt, moment) => {
    await seal(createSecretBox(await loadRing()));
    let calls = 0;
    const mortal = withFile(await loadRing(), async (replace, keys) => {
      calls += 1;
      if (calls === killedAt && moment === 'before') throw new Error('killed');
      await replace(keys);
      if (calls === killedAt) throw new Error('killed');
    });
    await expect(rotateKey({ db: test.db, ring: mortal }, by)).rejects.toThrow('killed');
    const left = await loadRing();
    const openedMeanwhile = await openAll(createSecretBox(left));

    await rotateKey({ db: test.db, ring: await loadRing() }, by);

    const { keys } = await loadRing();
    expect(openedMeanwhile).toEqual(everything);
    expect(keys).toHaveLength(1);
    expect(await openAll(createSecretBox(keys[0]))).toEqual(everything);
    // Where the job was begun, the key that was made for it is the one that it ends with.
    if (left.keys.length === 2) expect(keys[0].equals(left.keys[0])).toBe(true);
  });

  it('keeps all as it was where the rows cannot be written, but for the new key', async () => {
    const ring = await loadRing();
    await seal(createSecretBox(ring));
    const before = await snapshot();
    await test.db.raw('alter table audit_log add constraint refused check (false) not valid');

    const attempt = rotateKey({ db: test.db, ring }, by);

    await expect(attempt).rejects.toThrow('refused');
    await test.db.raw('alter table audit_log drop constraint refused');
    expect(await snapshot()).toEqual(before);
    expect(await openAll(createSecretBox(await loadRing()))).toEqual(everything);
    expect((await loadRing()).keys).toHaveLength(2);
  });

  it('leaves a running process able to open and to seal, without a restart', async () => {
    const running = createSecretBox(await loadRing());
    const { workspaceId } = await seal(running);

    await rotateKey({ db: test.db, ring: await loadRing() }, by);

    expect(await openAll(running)).toEqual(everything);
    await createAccount(test.db, workspaceId, { secrets: running.seal('hunter2-late', 'accounts') });
    expect((await openAll(createSecretBox(await loadRing()))).accounts).toContain('hunter2-late');
  });

  it('seals what a running process sealed with the old key before it could know of the new one', async () => {
    const ring = await loadRing();
    const oldBox = createSecretBox(ring.keys[0]);
    const { workspaceId } = await seal(oldBox);
    let isLate = false;
    const meddled = withFile(ring, async (replace, keys) => {
      await replace(keys);
      if (isLate) return;
      isLate = true;
      // On another connection, while the rotation has read the rows and not written them yet.
      const session = oldBox.seal('hunter2-fresh', 'sessions');
      await test.db('accounts').where({ workspace_id: workspaceId, name: 'bot' }).update({ session });
      await createAccount(test.db, workspaceId, { secrets: oldBox.seal('hunter2-late', 'accounts') });
    });

    const rotation = await rotateKey({ db: test.db, ring: meddled }, by);

    const { keys } = await loadRing();
    expect(countsOf(rotation)).toEqual({ accounts: 3, channels: 2, sessions: 1 });
    expect(await openAll(createSecretBox(keys[0]))).toEqual({
      ...everything,
      accounts: [...everything.accounts, 'hunter2-late'],
      sessions: ['hunter2-fresh'],
    });
  });

  it('keeps the old key where rows are sealed with it all the while', async () => {
    const ring = await loadRing();
    await seal(createSecretBox(ring));
    await test.db.raw(`
      create function seal_as_before() returns trigger language plpgsql as
      $$ begin new.secrets := old.secrets; return new; end $$`);
    await test.db.raw(`
      create trigger seal_as_before before update on channels for each row execute function seal_as_before()`);

    const said = await rotateKey({ db: test.db, ring }, by).catch(String);

    await test.db.raw('drop function seal_as_before cascade');
    expect(said).toContain('the old key was kept');
    expect((await loadRing()).keys).toHaveLength(2);
    expect(await openAll(createSecretBox(await loadRing()))).toEqual(everything);
  });

  it('leaves one key that opens everything, of however many rotations at once', async () => {
    await seal(createSecretBox(await loadRing()));
    const rings = await Promise.all([loadRing(), loadRing(), loadRing()]);

    await Promise.all(rings.map(ring => rotateKey({ db: test.db, ring }, by)));

    const { keys } = await loadRing();
    expect(keys).toHaveLength(1);
    expect(await openAll(createSecretBox(keys[0]))).toEqual(everything);
  });

  it('changes nothing where no key opens a secret, and names what holds it', async () => {
    const ring = await loadRing();
    const { workspaceId } = await seal(createSecretBox(ring));
    const lost = createSecretBox(randomBytes(32));
    await createAccount(test.db, workspaceId, { name: 'lost', secrets: lost.seal('hunter2', 'accounts') });
    await createChannel(test.db, workspaceId, { name: 'astray', secrets: lost.seal('hunter2', 'channels') });
    // Sealed for another place.
    const swapped = createSecretBox(ring).seal('hunter2', 'channels');
    await createAccount(test.db, workspaceId, { name: 'swapped', secrets: swapped, session: swapped });
    const before = { rows: await snapshot(), file: await readFile(path, 'utf8') };

    const rotation = await rotateKey({ db: test.db, ring }, by);

    expect(rotation).toMatchObject({
      kind: 'unreadable',
      rows: [
        { place: 'accounts', workspace: 'news', name: 'lost' },
        { place: 'accounts', workspace: 'news', name: 'swapped' },
        { place: 'channels', workspace: 'news', name: 'astray' },
      ],
    });
    expect({ rows: await snapshot(), file: await readFile(path, 'utf8') }).toEqual(before);
  });

  it('gives up a session that no key opens: a log-in makes another', async () => {
    const ring = await loadRing();
    const { workspaceId } = await seal(createSecretBox(ring));
    const session = createSecretBox(randomBytes(32)).seal('hunter2', 'sessions');
    const columns = { name: 'lost', session, session_expires_at: later, session_revision: 7 };
    const id = await createAccount(test.db, workspaceId, columns);

    const rotation = await rotateKey({ db: test.db, ring }, by);

    expect(countsOf(rotation)).toEqual({ accounts: 2, channels: 2, sessions: 1 });
    expect(rotation.kind === 'rotated' && clearedSessions(rotation.changed)).toMatchObject([
      { id, name: 'lost', workspace: 'news' },
    ]);
    expect(await test.db('accounts').where({ id }).first()).toMatchObject({
      session: null,
      session_expires_at: null,
      session_revision: 8,
    });
    // It is the same as before to those who use it.
    expect(await test.db('accounts').where({ name: 'bot' }).first()).toMatchObject({
      session_expires_at: later,
      session_revision: 3,
    });
  });

  it('tells the audit log, of each workspace concerned, and shows no secret to it or to the log', async () => {
    const ring = await loadRing();
    const { workspaceId } = await seal(createSecretBox(ring));
    await createWorkspace(test.db, { name: 'without' });
    const texts = [await readFile(path, 'utf8')];
    const watched = withFile(ring, async (replace, keys) => {
      await replace(keys);
      texts.push(await readFile(path, 'utf8'));
    });

    await rotateKey({ db: test.db, ring: watched }, by);

    const audit = await test.db('audit_log');
    expect(audit).toMatchObject([
      {
        workspace_id: workspaceId,
        actor: 'cli',
        action: 'rotate_key',
        subject_type: 'workspace',
        subject_id: workspaceId,
        detail: { source: 'file', accounts: 2, channels: 2, sessions: 1, clearedSessions: [] },
        acted_at: now,
      },
    ]);
    const told = JSON.stringify(audit) + logged;
    const keys = texts.flatMap(text => text.trim().split('\n'));
    expect(new Set(keys).size).toBe(2);
    for (const secret of ['hunter2', ...keys]) expect(told).not.toContain(secret);
  });
});

describe('rotateKey of the setting', () => {
  const [newKey, oldKey] = [randomBytes(32), randomBytes(32)] as const;
  const ring = fixedRing([newKey, oldKey]);

  it('seals everything with the first key and touches no file', async () => {
    await writeFile(path, 'not its own');
    await seal(createSecretBox(oldKey));

    const rotation = await rotateKey({ db: test.db, ring }, by);
    const again = await rotateKey({ db: test.db, ring }, by);

    expect(countsOf(rotation)).toEqual({ accounts: 2, channels: 2, sessions: 1 });
    expect(countsOf(again)).toEqual({ accounts: 0, channels: 0, sessions: 0 });
    expect(await openAll(createSecretBox(newKey))).toEqual(everything);
    expect(await test.db('audit_log').pluck('detail')).toMatchObject([{ source: 'setting' }]);
    expect(await readFile(path, 'utf8')).toBe('not its own');
  });

  it('has nothing to do with one key and everything sealed with it', async () => {
    await seal(createSecretBox(newKey));
    const before = await snapshot();

    const rotation = await rotateKey({ db: test.db, ring: fixedRing([newKey]) }, by);

    expect(rotation).toEqual({ kind: 'one_key' });
    expect(await snapshot()).toEqual(before);
  });

  it('names what one key does not open', async () => {
    await seal(createSecretBox(oldKey));
    const before = await snapshot();

    const rotation = await rotateKey({ db: test.db, ring: fixedRing([newKey]) }, by);

    expect(rotation.kind === 'unreadable' && rotation.rows.map(({ name }) => name)).toEqual([
      ...['bot', 'gone'],
      ...['hook', 'closed'],
    ]);
    expect(await snapshot()).toEqual(before);
  });

  it('seals more rows than fit into one statement', async () => {
    const workspaceId = await createWorkspace(test.db);
    const box = createSecretBox(oldKey);
    await test.db('channels').insert(
      Array.from({ length: 1_100 }, (_, index) => ({
        workspace_id: workspaceId,
        name: `channel ${index}`,
        platform: 'fake',
        instance: '',
        target: `target ${index}`,
        secrets: box.seal(`hunter2-${index}`, 'channels'),
        created_at: now,
      })),
    );

    const rotation = await rotateKey({ db: test.db, ring }, by);

    expect(countsOf(rotation).channels).toBe(1_100);
    const { channels } = await openAll(createSecretBox(newKey));
    expect(new Set(channels).size).toBe(1_100);
  });
});

/** The ring with another way to write its file. */
function withFile(
  ring: KeyRing,
  replaceBy: (replace: (keys: Keys) => Promise<void>, keys: Keys) => Promise<void>,
): KeyRing {
  const { file } = ring;
  if (!file) throw new Error('a ring without a file');
  return {
    get keys() {
      return ring.keys;
    },
    get dropped() {
      return ring.dropped;
    },
    refresh: () => ring.refresh(),
    file: { ...file, replace: keys => replaceBy(next => file.replace(next), keys) },
  };
}
