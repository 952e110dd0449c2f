import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyFile, readKeyFile, replaceKeyFile } from '../src/keyFile.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headway-'));
  path = join(folder, 'secret.key');
});

afterEach(() => rm(folder, { recursive: true }));

describe('createKeyFile', () => {
  it('leaves a file that is there as it is', async () => {
    const isFirst = await createKeyFile(path, 'one\n');
    const isSecond = await createKeyFile(path, 'two\n');

    expect([isFirst, isSecond]).toEqual([true, false]);
    expect(readKeyFile(path)).toBe('one\n');
    expect(await readdir(folder)).toEqual(['secret.key']);
  });
});

describe('readKeyFile', () => {
  it('tells no file from one that cannot be read', () => {
    expect(readKeyFile(path)).toBeNull();
    expect(() => readKeyFile(folder)).toThrow('EISDIR');
  });
});

describe('replaceKeyFile', () => {
  it('leaves the new file alone, for its owner only, whatever the old one allowed', async () => {
    await writeFile(path, 'one\n');
    await chmod(path, 0o644);

    await replaceKeyFile(path, 'two\n');

    expect(await readFile(path, 'utf8')).toBe('two\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['secret.key']);
  });

  it('leaves the file with its owner', async () => {
    const self = process.getuid?.() ?? 0;
    // Only root can give a file away.
    const owner = self === 0 ? 4242 : self;
    await writeFile(path, 'one\n');
    await chown(path, owner, process.getgid?.() ?? 0);

    await replaceKeyFile(path, 'two\n');

    expect((await stat(path)).uid).toBe(owner);
  });

  it('writes to the file that a link names, and leaves the link', async () => {
    await createKeyFile(join(folder, 'kept/elsewhere.key'), 'one\n');
    await symlink('kept/elsewhere.key', path);

    await replaceKeyFile(path, 'two\n');

    expect(await readFile(join(folder, 'kept/elsewhere.key'), 'utf8')).toBe('two\n');
    expect(await readdir(folder)).toEqual(['kept', 'secret.key']);
  });

  it('goes on over what a killed process left', async () => {
    await writeFile(path, 'one\n');
    await writeFile(`${path}.next`, 'half');

    await replaceKeyFile(path, 'two\n');

    expect(await readFile(path, 'utf8')).toBe('two\n');
    expect(await readdir(folder)).toEqual(['secret.key']);
  });

  it('keeps the old file where the new one cannot be written, and says why', async () => {
    await writeFile(path, 'one\n');
    const missing = join(folder, 'not-there/secret.key');

    await expect(replaceKeyFile(missing, 'two\n')).rejects.toThrow(`cannot write ${missing}`);
    // A folder in the place of the draft.
    await createKeyFile(join(`${path}.next`, 'in-the-way'), '');
    await expect(replaceKeyFile(path, 'two\n')).rejects.toThrow(`cannot write ${path}`);

    expect(await readFile(path, 'utf8')).toBe('one\n');
  });
});
