import { type Database, query } from '../../src/database/Database.ts';
import type { Scene } from './shapes.ts';

const createdAt = new Date('2026-01-01T00:00:00Z');
const channels = 4;

/** Creates a workspace with four open channels. No daily cap, no intervals, no windows. */
export async function createScene(db: Database, at: Date): Promise<Scene> {
  const [workspace] = await query<{ id: number }>(db, insertWorkspace, [createdAt]);
  if (!workspace) throw new Error('the workspace was not inserted');
  const rows = await query<{ id: number }>(db, insertChannels, [workspace.id, createdAt, channels]);
  return { db, workspaceId: workspace.id, channelIds: rows.map(({ id }) => id), at };
}

// It has always just ticked: no journal runs here, and a first tick after long does more.
const insertWorkspace = {
  name: 'bench-insert-workspace',
  text: `
    insert into workspaces (name, created_at, last_tick_at)
    select 'bench ' || (count(*) + 1), $1, '2100-01-01' from workspaces returning id`,
};

const insertChannels = {
  name: 'bench-insert-channels',
  text: `
    insert into channels (workspace_id, name, platform, instance, target, created_at)
    select $1, 'channel ' || n, 'bench', '', 'channel ' || n, $2 from generate_series(1, $3::int) n
    returning id`,
};
