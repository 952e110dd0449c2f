import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Start = { dataDir: string; attach?: boolean; uid?: number; env?: NodeJS.ProcessEnv };

export type EmbeddedProcess = {
  pid: number;
  /** The next line that it prints; rejects with its error output when it ends instead. */
  nextLine(): Promise<Record<string, unknown>>;
  /** To its process group, as a terminal does, or to it alone. */
  signal(signal: NodeJS.Signals, to?: 'process' | 'group'): void;
  exitCode(): Promise<number | null>;
};

const program = fileURLToPath(new URL('./embeddedProcess.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Starts embeddedProcess.ts in a process (and group) of its own. */
export function startEmbeddedProcess({ dataDir, attach = false, uid, env }: Start): EmbeddedProcess {
  const child = spawn(process.execPath, ['--import', loader, program, dataDir, attach ? 'attach' : 'own'], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: env ?? process.env,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the process could not be started');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', text => {
    errors += text;
  });
  return {
    pid,
    async nextLine() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(errors);
      return JSON.parse(value);
    },
    signal(signal, to = 'process') {
      process.kill(to === 'group' ? -pid : pid, signal);
    },
    async exitCode() {
      const [code] = await ended;
      return code;
    },
  };
}
