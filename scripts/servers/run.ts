import { setTimeout as sleep } from 'node:timers/promises';
import { keep } from './keep.ts';

export type RunOptions = {
  /** After so long the command is ended, with all that it started. */
  limitMs: number;
  cwd?: string;
  env?: Readonly<Record<string, string>>;
};

/**
 * Runs a command to its end and returns what it printed, without its errors. Throws for an exit code other than 0, a command that the
 * machine does not have and one that took longer than its limit; the message ends with what it said last.
 */
export async function run([command, ...args]: readonly [string, ...string[]], options: RunOptions) {
  const { limitMs, ...where } = options;
  const kept = keep({ command, args, folder: null, ...where });
  const timer = new AbortController();
  const late = sleep(limitMs, 'late' as const, { signal: timer.signal }).catch(() => null);
  const exitCode = await Promise.race([kept.ended, late]);
  timer.abort();
  if (exitCode === 'late') {
    await kept.stop();
    throw new Error(`${command} took longer than ${limitMs / 1000} s${lastWords(kept.output())}`);
  }
  if (exitCode === 127) throw new Error(`there is no ${command} on this machine`);
  if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}${lastWords(kept.output())}`);
  return kept.printed();
}

function lastWords(output: string): string {
  const lines = output.split('\n').filter(line => line.trim() !== '');
  return lines.length === 0 ? '' : `: ${lines.slice(-3).join(' | ').slice(-500)}`;
}
