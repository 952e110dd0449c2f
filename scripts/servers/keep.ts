import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type KeepOptions = {
  command: string;
  args: readonly string[];
  /** Removed once the command has ended, however it did. Null: nothing is. */
  folder: string | null;
  cwd?: string;
  /** On top of this process's own environment. */
  env?: Readonly<Record<string, string>>;
};

/** A command that ends with this process, with all that it started. */
export type Kept = {
  /** Its process group and its folder are gone. The exit code is 127 where there is no such command. */
  readonly ended: Promise<number | null>;
  /** What it printed last, its errors included. */
  output(): string;
  /** The same without its errors. */
  printed(): string;
  /** SIGTERM to its whole group, SIGKILL after 8 s; resolves when nothing of it is left. */
  stop(): Promise<void>;
};

const script = fileURLToPath(new URL('./keep.sh', import.meta.url));
const outputKept = 20_000;

/** Starts a command, tied to this process by keep.sh: neither a crash nor a kill of this process leaves it behind. */
export function keep({ command, args, folder, cwd, env }: KeepOptions): Kept {
  const child = spawn('bash', [script, folder ?? '', command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let output = '';
  let printed = '';
  child.stdout.on('data', text => {
    printed = (printed + text).slice(-outputKept);
    output = (output + text).slice(-outputKept);
  });
  child.stderr.on('data', text => {
    output = (output + text).slice(-outputKept);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>(resolve => {
    child.once('close', resolve);
    child.once('error', error => {
      output += error.message;
      resolve(null);
    });
  });
  return {
    ended,
    output: () => output,
    printed: () => printed,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
