import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// npm run test:faults [-- --real-time] [-- what Vitest takes, such as a file or -t F18]
const realTime = '--real-time';
const args = process.argv.slice(2);
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const child = spawn(
  process.execPath,
  [vitest, 'run', '--project', 'faults', ...args.filter(arg => arg !== realTime)],
  {
    stdio: 'inherit',
    env: { ...process.env, ...(args.includes(realTime) ? { FAULTS_REAL_TIME: '1' } : {}) },
  },
);
child.on('exit', code => {
  process.exitCode = code ?? 1;
});
