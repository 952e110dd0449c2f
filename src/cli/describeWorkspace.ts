import { importJson } from '../imports/importJson.ts';
import { newestAlerts } from '../models/alerts.ts';
import { openImports } from '../models/imports.ts';
import { countByStatus } from '../models/routeArticleList.ts';
import { loadSchedule, type Schedule } from '../models/schedule.ts';
import { countQueued } from '../models/statusCounts.ts';
import type { Workspace } from '../models/workspaces.ts';
import { isWithoutWorker, readyReason } from '../publishing/explain.ts';
import { openChannels } from '../publishing/openChannels.ts';
import { nextSlot } from '../publishing/slot.ts';
import { isClockSetBack, workspaceStops } from '../publishing/tickStop.ts';
import type { CommandContext } from './withApp.ts';

const alertsShown = 10;

/** Where a workspace stands: whether it ticks, what waits for what, what is closed, what needs a person. */
export async function describeWorkspace(
  { app, clock, isRehearsal }: Pick<CommandContext, 'app' | 'clock' | 'isRehearsal'>,
  workspace: Workspace,
) {
  const { db } = app;
  const at = clock.now();
  const schedule = await loadSchedule(db, workspace.id);
  const counts = await countByStatus(db, workspace.id);
  const verdicts = schedule ? openChannels(schedule.workspace, schedule.channels, at) : [];
  const { alerts, older } = await newestAlerts(db, workspace.id, alertsShown);
  const queued = await countQueued(db, workspace.id, at);
  const { lastTickAt } = workspace;
  // A used slot is nothing to tell, unless a clock that was set back is why.
  const stops = schedule
    ? workspaceStops(schedule, at).filter(
        ({ reason }) => reason !== 'slot_used' || isClockSetBack(schedule, at),
      )
    : [];
  return {
    name: workspace.name,
    lastTickAt,
    lastTickAgeMs: lastTickAt && at.getTime() - lastTickAt.getTime(),
    isTicking: isRehearsal || (lastTickAt !== null && !isWithoutWorker({ workspace }, at)),
    nextSlotAt: nextSlot(at, workspace),
    stops,
    waiting: schedule ? countReasons(schedule, queued, counts, at) : {},
    unknown: total(counts, 'unknown'),
    dead: total(counts, 'dead'),
    published: total(counts, 'published'),
    skipped: total(counts, 'skipped'),
    oldestReadyAt: queued.oldestReadyAt,
    lagMs: queued.oldestReadyAt && at.getTime() - queued.oldestReadyAt.getTime(),
    imports: (await openImports(db, workspace.id)).map(importJson),
    alerts,
    olderAlerts: older,
    holds: verdicts.flatMap(({ channel, closed }) => (closed ? [{ channel: channel.name, ...closed }] : [])),
  };
}

type Counts = Awaited<ReturnType<typeof countByStatus>>;

function total(counts: Counts, status: string): number {
  return counts
    .filter(({ publishStatus }) => publishStatus === status)
    .reduce((sum, row) => sum + row.count, 0);
}

/** How many articles wait for what: people, their own backoff, their channel, or just their turn. */
function countReasons(
  schedule: Schedule,
  queued: Awaited<ReturnType<typeof countQueued>>,
  counts: Counts,
  at: Date,
): Record<string, number> {
  const reasons: Record<string, number> = {};
  const add = (reason: string, count: number) => {
    if (count > 0) reasons[reason] = (reasons[reason] ?? 0) + count;
  };
  const inbox = counts.filter(row => row.publishStatus === 'pending' && row.approvalStatus === 'pending');
  add(
    'awaiting_approval',
    inbox.reduce((sum, row) => sum + row.count, 0),
  );
  add('in_flight', total(counts, 'publishing'));
  for (const { channelId, ready, waiting } of queued.channels) {
    add('backoff', waiting);
    add(readyReason(channelId, schedule, at), ready);
  }
  return reasons;
}
