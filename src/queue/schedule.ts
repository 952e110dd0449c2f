import { tickOffsetMs } from '../publishing/tickOffset.ts';

/** Every recurring tick on one screen: what it is called, how often it runs, what is kept of it. */
export const queueNames = {
  publishing: 'publishing',
  ingestion: 'ingestion',
  imports: 'imports',
  enrichment: 'enrichment',
} as const;
export type QueueName = keyof typeof queueNames;

/** What the ticks of each queue carry: ids and nothing else. */
export type TickPayloads = {
  publishing: { workspaceId: number };
  ingestion: Record<string, never>;
  imports: Record<string, never>;
  enrichment: Record<string, never>;
};

/** Ticks of a queue that run side by side in a process. */
export const concurrency: Readonly<Record<QueueName, number>> = {
  // Sends hold no database connection, so many workspaces publish side by side.
  publishing: 40,
  // One tick reads many feeds side by side by itself, and lasts as long as the slowest of them: the others must
  // not wait for that one, and are read by the next.
  ingestion: 4,
  // A long import must not keep those of other workspaces waiting, who come with a later tick.
  imports: 2,
  // Nor a slow host those that have something due since.
  enrichment: 4,
};

/** One job scheduler as it should be. Its ticks' ids are `repeat:<id>:<slot>`: one job per slot. */
export type WantedScheduler = {
  id: string;
  everyMs: number;
  /** 1 … everyMs - 1: without an offset a scheduler fires at once whenever it is written. */
  offsetMs: number;
  jobName: string;
  payload: TickPayloads[QueueName];
};

/** A finished tick is kept for Bull Board, by count and by age in seconds, whichever ends first. */
export const retention = {
  jobs: {
    removeOnComplete: { count: 2_000, age: 24 * 60 * 60 },
    removeOnFail: { count: 1_000, age: 7 * 24 * 60 * 60 },
  },
  streams: { events: { maxLen: 1_000 } },
};

/** Publishes at most one article of the workspace, at the interval of its own. */
export function publishingTick({
  id,
  tickIntervalMs,
}: {
  id: number;
  tickIntervalMs: number;
}): WantedScheduler {
  return {
    id: `publish-next-article:${id}`,
    everyMs: tickIntervalMs,
    offsetMs: tickOffsetMs(id, tickIntervalMs),
    jobName: 'publish-next-article',
    payload: { workspaceId: id },
  };
}

/** Reads the feeds that are due. Each feed has an interval of its own: this is only how often we look. */
export function ingestionTick(everyMs: number): WantedScheduler {
  return {
    id: 'ingest-feeds',
    everyMs,
    offsetMs: Math.max(1, Math.floor(everyMs / 2)),
    jobName: 'ingest-feeds',
    payload: {},
  };
}

const importsEveryMs = 15_000;

/** Runs the imports that wait, of all workspaces; the command that brought one does not wait for it. */
export const importsTick: WantedScheduler = {
  id: 'run-imports',
  everyMs: importsEveryMs,
  offsetMs: Math.floor(importsEveryMs / 3),
  jobName: 'run-imports',
  payload: {},
};

const enrichmentEveryMs = 5_000;

/** Reads the pages that are due, of all hosts. */
export const enrichmentTick: WantedScheduler = {
  id: 'enrich-articles',
  everyMs: enrichmentEveryMs,
  offsetMs: Math.floor((enrichmentEveryMs * 2) / 3),
  jobName: 'enrich-articles',
  payload: {},
};
