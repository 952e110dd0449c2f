import { type Database, execute, query } from '../database/Database.ts';

/** A worker process, as people see it. Nothing decides by it: locks do. */
export type Consumer = {
  id: string;
  host: string;
  pid: number;
  version: string;
  role: 'start' | 'work';
  /** The queues that it serves. */
  queues: readonly string[];
  startedAt: Date;
};

/** Says that a worker process is there, whether it was known or not. */
export async function recordConsumerSeen(db: Database, consumer: Consumer, seenAt: Date): Promise<void> {
  const { id, host, pid, version, role, queues, startedAt } = consumer;
  await execute(db, upsertSeen, [id, host, pid, version, role, queues, startedAt, seenAt]);
}

const upsertSeen = {
  name: 'record-consumer-seen',
  text: `
    insert into consumers (id, host, pid, version, role, queues, started_at, seen_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (id) do update set seen_at = excluded.seen_at`,
};

/** Strikes out a worker process that stopped. */
export async function removeConsumer(db: Database, id: string): Promise<void> {
  await execute(db, deleteConsumer, [id]);
}

const deleteConsumer = {
  name: 'remove-consumer',
  text: 'delete from consumers where id = $1',
};

/** Strikes out those that were killed long ago: what was not seen since `before`. */
export async function pruneConsumers(db: Database, before: Date): Promise<void> {
  await execute(db, deleteUnseen, [before]);
}

const deleteUnseen = {
  name: 'prune-consumers',
  text: 'delete from consumers where seen_at < $1',
};

export type ListedConsumer = Consumer & {
  seenAt: Date;
  /** False: it was not seen lately, so it was killed, froze, or does not reach the database. */
  isAlive: boolean;
};

/** The worker processes, the newest first; alive is what was seen since `aliveSince`. */
export async function listConsumers(db: Database, aliveSince: Date): Promise<ListedConsumer[]> {
  return query<ListedConsumer>(db, selectConsumers, [aliveSince]);
}

const selectConsumers = {
  name: 'list-consumers',
  text: `
    select id, host, pid, version, role, queues, started_at as "startedAt", seen_at as "seenAt",
           seen_at >= $1 as "isAlive"
    from consumers order by started_at desc, id`,
};
