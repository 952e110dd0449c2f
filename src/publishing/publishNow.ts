import type { Clock } from '../clock.ts';
import { recordAudit } from '../models/auditLog.ts';
import { findRouteArticle } from '../models/routeArticleList.ts';
import { loadSchedule } from '../models/schedule.ts';
import { recoverWorkspace } from './endLeftovers.ts';
import { type PublishingTools, publishRouteArticle } from './publishRouteArticle.ts';
import type { Tried } from './tickResult.ts';
import { type LockUnit, publishingUnit } from './workspaceLock.ts';

export type PublishNowResult =
  | { kind: 'tried'; tried: Tried }
  | { kind: 'refused'; detail: string }
  | { kind: 'not_found' };

/**
 * A person's publish-now: passes over slot, windows, interval and backoff, and obeys everything else
 * (approval, duplicates, caps, holds, pause) by passing the same gate under the same lock as the tick.
 */
export async function publishNow(
  { lock, ...tools }: PublishingTools & { lock: LockUnit },
  request: { id: number; actor: string; clock: Clock; signal: AbortSignal },
): Promise<PublishNowResult> {
  const { id, actor, clock, signal } = request;
  const article = await findRouteArticle(tools.db, id);
  if (!article) return { kind: 'not_found' };
  const { workspaceId } = article;
  const held = await lock(publishingUnit(workspaceId));
  if (!held)
    return { kind: 'refused', detail: 'busy: another consumer has this workspace, try again in a moment' };
  try {
    const at = clock.now();
    await recoverWorkspace(tools, { workspaceId, at, now: at });
    const current = await findRouteArticle(tools.db, id);
    const schedule = await loadSchedule(tools.db, workspaceId);
    if (!current || !schedule) return { kind: 'not_found' };
    const { approvalStatus, publishStatus } = current;
    if (approvalStatus !== 'approved')
      return { kind: 'refused', detail: `it is ${approvalStatus}: approve it first` };
    if (publishStatus !== 'pending' && publishStatus !== 'failed') {
      return { kind: 'refused', detail: `it is ${publishStatus}` };
    }
    const subject = { subjectType: 'route_article', subjectId: id } as const;
    await recordAudit(tools.db, { workspaceId, actor, action: 'publish-now', ...subject, now: at });

    const { tickIntervalMs, lastSlotAt } = schedule.workspace;
    const stops = AbortSignal.any([signal, held.signal]);
    const circumstances = {
      tickIntervalMs,
      at,
      slotAt: null,
      lastSlotAt,
      clock,
      signal: stops,
      cutOff: signal,
    };
    const { tried } = await publishRouteArticle(tools, {
      workspaceId,
      routeArticleId: id,
      repeats: null,
      ...circumstances,
    });
    return tried ? { kind: 'tried', tried } : { kind: 'refused', detail: 'somebody else took it just now' };
  } finally {
    await held.release();
  }
}
