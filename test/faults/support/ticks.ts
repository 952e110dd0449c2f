import type { Database } from '../../../src/database/Database.ts';
import { until } from '../../support/until.ts';
import { signalLimitMs } from './realTime.ts';

/** Resolves once a workspace has ticked for so long from now on: ticks did to it whatever they would. */
export async function letTicksPass(db: Database, workspaceId: number, forMs = 1_000): Promise<void> {
  const before = await lastTickMs(db, workspaceId);
  const passed = async () => (await lastTickMs(db, workspaceId)) - before > forMs;
  await until(passed, { timeoutMs: signalLimitMs });
}

/** Resolves once so much real time has passed: for what lasts, such as an outage, and is no signal. */
export async function pass(ms: number): Promise<void> {
  const endsMs = performance.now() + ms;
  await until(() => performance.now() >= endsMs, { timeoutMs: ms + 1_000 });
}

async function lastTickMs(db: Database, workspaceId: number): Promise<number> {
  const row = await db('workspaces').where({ id: workspaceId }).first('last_tick_at');
  return row.last_tick_at?.getTime() ?? 0;
}
