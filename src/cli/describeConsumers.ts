import type { Database } from '../database/Database.ts';
import type { Limits } from '../limits.ts';
import { listConsumers } from '../models/consumers.ts';

/**
 * The worker processes of the last day. One that was not seen for as long as the server keeps the locks of a
 * process that froze has lost them: it counts as gone.
 */
export async function describeConsumers(db: Database, { lockIdleMs }: Pick<Limits, 'lockIdleMs'>, at: Date) {
  const consumers = await listConsumers(db, new Date(at.getTime() - lockIdleMs));
  return consumers.map(({ id: _id, ...shown }) => shown);
}
