import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import './provided.ts';

/** What a command did. */
export type CommandEnd = { exitCode: number; stdout: string; stderr: string };

const commandLimitMs = 60_000;

/** Runs a command of the built program to its end, on a database: what a person does meanwhile. */
export async function runCommand(
  databaseUrl: string,
  args: readonly (string | number)[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'headway-command-'));
  const program = join(inject('programFolder'), 'dist/main.js');
  const options = {
    cwd: folder,
    timeout: commandLimitMs,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      HEADWAY_DATA_DIR: join(folder, 'data'),
      HEADWAY_SECRET_KEY: '5c'.repeat(32),
      HEADWAY_ALLOW_NETWORKS: '127.0.0.0/8',
      ...env,
    },
  };
  const end = await new Promise<CommandEnd>(resolve => {
    execFile(process.execPath, [program, ...args.map(String)], options, (error, stdout, stderr) => {
      resolve({ exitCode: error ? Number(error.code ?? -1) : 0, stdout, stderr });
    });
  });
  await rm(folder, { recursive: true, force: true });
  return end;
}
