import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const waitMs = 500;

/**
 * Runs `work` while no other process does so under the same lock file; `onWait` is called once if it has to wait.
 * A lock whose process is gone is taken over. Two that do that at the same instant may both go on, which costs
 * double work and no more: what they install is moved into place as a whole.
 */
export async function withLock<Result>(
  path: string,
  { work, onWait }: { work: () => Promise<Result>; onWait: () => void },
): Promise<Result> {
  await mkdir(dirname(path), { recursive: true });
  let hasWaited = false;
  while (!(await take(path))) {
    if (!hasWaited) onWait();
    hasWaited = true;
    await sleep(waitMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const owner = Number(await readFile(path, 'utf8').catch(() => ''));
  if (owner > 0 && !isAlive(owner)) {
    const stale = `${path}.${process.pid}`;
    await rename(path, stale).catch(() => {});
    await rm(stale, { force: true });
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else's may not be asked, and lives.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
