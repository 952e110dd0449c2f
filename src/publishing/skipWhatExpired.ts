import type { Clock } from '../clock.ts';
import { transact } from '../database/transact.ts';
import { raiseAlert } from '../models/alerts.ts';
import { skipExpired } from '../models/skipExpired.ts';
import type { Workspace } from '../models/workspaces.ts';
import type { PublishingTools } from './publishRouteArticle.ts';

/**
 * After a time without ticks: skips at once all that has passed its maximum age meanwhile, and tells of it in
 * one alert. In ordinary times each is skipped at its turn, and that is no news.
 */
export async function skipWhatExpired(
  { db, logger }: PublishingTools,
  { workspace, at, clock }: { workspace: Workspace; at: Date; clock: Clock },
): Promise<void> {
  const { id: workspaceId, name, lastTickAt, createdAt } = workspace;
  const now = clock.now();
  const since = (lastTickAt ?? createdAt).toISOString();
  const count = await transact(db, async trx => {
    const { count, oldestTitle } = await skipExpired(trx, workspaceId, at, now);
    if (count === 0) return 0;
    const what =
      count === 1 ? `"${oldestTitle}" has` : `${count} articles have, the oldest "${oldestTitle}",`;
    const message = `Workspace ${name} had no tick since ${since}: ${what} passed the maximum age meanwhile, and will not go out.`;
    await raiseAlert(trx, { workspaceId, kind: 'articles_too_old', message, now });
    return count;
  });
  if (count > 0) logger.warn({ workspaceId, count, since }, 'articles skipped as too old');
}
