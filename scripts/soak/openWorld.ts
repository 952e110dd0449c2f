import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/database/Database.ts';
import { type FakePublisher, openFakePublisher } from '../../test/faults/support/fakePublisher.ts';
import { startPrivatePostgres } from '../../test/faults/support/privatePostgres.ts';
import { recordTransitions } from '../../test/faults/support/transitions.ts';
import { build } from '../../test/support/headway.ts';
import { answersBySeed } from './answers.ts';
import { createWorkspaces, type Outlet } from './createWorkspaces.ts';
import { createRandom } from './random.ts';
import { type RedisServer, startRedisServer } from './redisServer.ts';
import { WorkerSlot } from './WorkerSlot.ts';

/** Everything that a soak happens in. */
export type World = {
  /** A pool of our own, which no fault touches. */
  db: Database;
  /** Null: the queues are in PostgreSQL. */
  redis: RedisServer | null;
  publisher: FakePublisher;
  outlets: readonly Outlet[];
  slots: readonly WorkerSlot[];
  logFolder: string;
  /** The logs stay when all else is cleaned up. */
  keepLogs(): void;
};

export type WorldOptions = { seed: number; workspaces: number; workers: number };

/** Done in reverse at the end, also of what was only begun. */
export type CleanUps = (() => unknown)[];

/** What our own connections are called, so that faults pass them over. */
export const ourName = 'soak';

const settings = { fsync: 'off', max_connections: '300' };

/** Builds the program, starts the servers, and creates the workspaces; no worker runs yet. */
export async function openWorld(
  { seed, workspaces, workers }: WorldOptions,
  cleanUps: CleanUps,
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'headway-soak-'));
  let areLogsKept = false;
  const removable = () => (areLogsKept ? programFolder : folder);
  cleanUps.push(() => rm(removable(), { recursive: true, force: true }));
  const programFolder = join(folder, 'program');
  const logFolder = join(folder, 'logs');
  for (const path of [programFolder, logFolder]) await mkdir(path);
  await build(programFolder);

  const postgres = await startPrivatePostgres(settings);
  cleanUps.push(() => postgres.close());
  const redis = await startRedisServer();
  cleanUps.push(() => redis?.kill());
  const db = openDatabase(named(postgres.url, ourName));
  cleanUps.push(() => db.destroy());
  await recordTransitions(db);
  const publisher = await openFakePublisher({ choose: answersBySeed(seed) });
  cleanUps.push(() => publisher.close());
  const random = createRandom(seed, 'workspaces');
  const outlets = await createWorkspaces(db, { count: workspaces, publisher, random });

  const slots: WorkerSlot[] = [];
  for (let index = 1; index <= workers; index += 1) {
    const urls = { databaseUrl: postgres.url, redisUrl: redis?.url ?? null };
    const slot = await WorkerSlot.open({ name: `worker-${index}`, programFolder, logFolder, ...urls });
    cleanUps.push(() => slot.close({ isGraceful: false }));
    slots.push(slot);
  }
  const keepLogs = () => {
    areLogsKept = true;
  };
  return { db, redis, publisher, outlets, slots, logFolder, keepLogs };
}

function named(url: string, name: string): string {
  const withName = new URL(url);
  withName.searchParams.set('application_name', name);
  return withName.href;
}
