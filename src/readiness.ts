import type { Database } from './database/Database.ts';
import type { DatabaseHealth } from './database/DatabaseHealth.ts';
import { listWorkspaces } from './models/workspaces.ts';
import { isWithoutWorker } from './publishing/explain.ts';
import type { Queues } from './queue/startQueues.ts';

/** What the obstacles are read from. */
export type Surroundings = { db: Database; health: DatabaseHealth; queues: Queues | null };

/**
 * Why Headway does not do its work at `now`, a sentence each; none: it does. A workspace counts as stopped
 * when no tick ran for three of its intervals, whichever process it is that should run them.
 */
export async function findObstacles(
  { db, health, queues }: Surroundings,
  now: Date,
): Promise<readonly string[]> {
  const workspaces = await listWorkspaces(db).catch(error => {
    if (!health.failed(error)) throw error;
    return null;
  });
  if (workspaces) health.answered();
  const database = health.trouble === null ? [] : [`the database cannot be used: ${health.trouble}`];
  // Whatever else is wrong then is wrong because of that.
  if (!workspaces) return database;
  const stopped = workspaces
    .filter(workspace => isWithoutWorker({ workspace }, now))
    .map(({ name, lastTickAt, createdAt }) => {
      return `no tick since ${(lastTickAt ?? createdAt).toISOString()} (workspace ${name})`;
    });
  const problem = queues?.status().problem;
  return [...database, ...stopped, ...(problem ? [`the queue store: ${problem}`] : [])];
}
