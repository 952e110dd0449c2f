import type { Database } from './database/Database.ts';
import { listWorkspaces } from './models/workspaces.ts';
import { isWithoutWorker } from './publishing/explain.ts';
import type { Queues } from './queue/startQueues.ts';

/**
 * Why Headway does not do its work at `now`, a sentence each; none: it does. A workspace counts as stopped
 * when no tick ran for three of its intervals, whichever process it is that should run them.
 */
export async function findObstacles(
  { db, queues }: { db: Database; queues: Queues | null },
  now: Date,
): Promise<string[]> {
  const workspaces = await listWorkspaces(db).catch(() => null);
  if (!workspaces) return ['the database is not reachable'];
  const stopped = workspaces
    .filter(workspace => isWithoutWorker({ workspace }, now))
    .map(({ name, lastTickAt, createdAt }) => {
      return `no tick since ${(lastTickAt ?? createdAt).toISOString()} (workspace ${name})`;
    });
  const problem = queues?.status().problem;
  return problem ? [...stopped, `the queue store: ${problem}`] : stopped;
}
