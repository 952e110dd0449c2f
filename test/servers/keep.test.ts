import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { keep } from '../../scripts/servers/keep.ts';
import { run } from '../../scripts/servers/run.ts';
import { until } from '../support/until.ts';

const program = fileURLToPath(new URL('./support/keepProcess.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const limitMs = 10_000;

describe('keep', () => {
  it('leaves nothing behind of a run that is killed with -9', async () => {
    const folder = await createFolder();
    const testRun = spawn(process.execPath, ['--import', loader, program, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(testRun.stdout, 'data');
    const group = Number(line);
    expect(lives(group)).toBe(true);

    testRun.kill('SIGKILL');

    await until(() => !lives(group) && !existsSync(folder));
  });

  it('ends the whole group and removes the folder when told to stop', async () => {
    const folder = await createFolder();
    const server = keep({ command: 'sh', args: ['-c', 'echo $$; sleep 600 & sleep 600'], folder });
    const group = Number(await until(() => server.printed()));

    await server.stop();

    expect(existsSync(folder)).toBe(false);
    await until(() => !lives(group));
  });

  it('ends the workers of a server that ended by itself', async () => {
    const server = keep({ command: 'sh', args: ['-c', 'echo $$; sleep 600 & exit 3'], folder: null });

    const exitCode = await server.ended;

    expect(exitCode).toBe(3);
    await until(() => !lives(Number(server.printed())));
  });
});

describe('run', () => {
  it('says what a command that failed said last', async () => {
    const failed = run(['sh', '-c', 'echo "no room on the disk" >&2; exit 4'], { limitMs });

    await expect(failed).rejects.toThrow('sh ended with 4: no room on the disk');
  });

  it('says that the machine does not have a command', async () => {
    await expect(run(['no-such-command'], { limitMs })).rejects.toThrow('there is no no-such-command');
  });

  it('ends a command at its limit', async () => {
    await expect(run(['sleep', '600'], { limitMs: 100 })).rejects.toThrow('sleep took longer than 0.1 s');
  });
});

function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'headway-keep-'));
}

/** One that has ended counts until the system has noticed: hence the waiting above. */
function lives(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
