import type { Database } from '../database/Database.ts';
import { recordAudit } from '../models/auditLog.ts';
import { insertRoute } from '../models/configurationChanges.ts';
import { insertFeed } from '../models/feedConfiguration.ts';
import { importOnlyUrl } from './importOnlyUrl.ts';

export type MadeFeed = {
  workspaceId: number;
  name: string;
  channels: readonly { id: number; name: string }[];
};

const everyMs = 86_400_000;

/**
 * Makes a feed that only imports fill, with a route to each channel on which a person approves, as a route is
 * unless it says otherwise. In the caller's transaction, which lasts as long as a file is read: so no apply has to
 * wait for it, and a name that one takes meanwhile is found taken. Throws where the name is taken.
 */
export async function makeFeed(
  trx: Database,
  { workspaceId, name, channels }: MadeFeed,
  { actor, now }: { actor: string; now: Date },
): Promise<number> {
  const url = importOnlyUrl(name);
  const firstImport = { mode: 'baseline' } as const;
  const reading = { everyMs, firstImport, maxAgeMs: null, enrichWithinMs: null };
  const values = { workspaceId, name, url, ...reading, paused: true };
  const feedId = await insertFeed(trx, values, now);
  const audit = { workspaceId, actor, action: 'create', now };
  await recordAudit(trx, { ...audit, subjectType: 'feed', subjectId: feedId, detail: { name, url } });
  for (const channel of channels) {
    const rules = {
      approval: 'manual',
      priority: 0,
      include: [],
      exclude: [],
      template: '{{ title }}',
      edits: null,
    } as const;
    const routeId = await insertRoute(trx, { workspaceId, feedId, channelId: channel.id, ...rules }, now);
    const detail = { name: `${name} → ${channel.name}` };
    await recordAudit(trx, { ...audit, subjectType: 'route', subjectId: routeId, detail });
  }
  return feedId;
}
