import { z } from 'zod';
import type { UnitConsumer } from '../unitConsumer.ts';
import type { QueueName, TickPayloads } from './schedule.ts';

/** The work of one queue, and what its consumer can do beside it. */
export type QueueTask<Name extends QueueName> = {
  /** One tick. What it returns is the job's return value: Bull Board shows it. */
  run(payload: TickPayloads[Name], signal: AbortSignal): Promise<unknown>;
  consumer: UnitConsumer;
};

/** Every queue of the schedule has one: a queue without it does not compile. */
export type QueueTasks = { readonly [Name in QueueName]: QueueTask<Name> };

const payloads: { readonly [Name in QueueName]: z.ZodType<TickPayloads[Name]> } = {
  publishing: z.object({ workspaceId: z.number().int().positive() }),
  ingestion: z.object({}),
  imports: z.object({}),
  enrichment: z.object({}),
};

/** Runs a tick of a queue with a payload as the store gave it; throws for one that is none of this queue's. */
export function runTick<Name extends QueueName>(
  name: Name,
  task: QueueTask<Name>,
): (payload: unknown, signal: AbortSignal) => Promise<unknown> {
  return async (payload, signal) => task.run(payloads[name].parse(payload), signal);
}
