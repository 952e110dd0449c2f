import { raiseAlertOnce } from '../models/alerts.ts';
import type { WorkspaceCalendar } from '../models/workspaces.ts';
import type { PublishingTools } from './publishRouteArticle.ts';
import { isClockSetBack } from './tickStop.ts';

/** Tells once of a clock that runs behind a workspace's newest slot: its ticks wait until time has caught up. */
export async function tellIfSetBack(
  { db, logger }: PublishingTools,
  workspace: WorkspaceCalendar,
  at: Date,
): Promise<void> {
  const { id: workspaceId, name, lastSlotAt } = workspace;
  if (!lastSlotAt || !isClockSetBack({ workspace }, at)) return;
  const message = `Workspace ${name} waits: the clock was set back behind its slot at ${lastSlotAt.toISOString()}.`;
  const alert = { workspaceId, kind: 'clock_set_back', message, now: at } as const;
  if (await raiseAlertOnce(db, alert)) logger.warn({ workspaceId }, message);
}
