import { beforeEach } from 'vitest';
import type { Database } from '../../src/database/Database.ts';
import { slotFrom } from '../../src/publishing/slot.ts';
import type { TickResult } from '../../src/publishing/tickResult.ts';
import { useDatabase } from './database.ts';
import { createChannel, createRouteArticle, createWorkspace } from './factories.ts';
import { FakeClock } from './fakeClock.ts';
import { FakePlatform, ticker } from './publishing.ts';

type Columns = Readonly<Record<string, unknown>>;

/** What a publishing test works with; everything is new for each test. */
export type Scene = {
  readonly db: Database;
  readonly url: string;
  readonly clock: FakeClock;
  readonly platform: FakePlatform;
  /** Inserts a workspace and moves the clock to the start of one of its slots. */
  workspace(columns?: Columns): Promise<number>;
  channel(workspaceId: number, columns?: Columns): Promise<number>;
  /** Inserts a ready article; of those that a test inserts, the first is the oldest. */
  article(workspaceId: number, channelId: number, columns?: Columns): Promise<number>;
  /** Runs one tick now. */
  tick(workspaceId: number): Promise<TickResult>;
  /** Moves on by whole five-minute slots, then runs one tick. */
  nextTick(workspaceId: number, slots?: number): Promise<TickResult>;
};

/** Gives a test file a database, a clock that starts at `startsAt`, and a remote side that takes everything. */
export function useScene(startsAt = '2026-09-07T10:00:00Z'): Scene {
  const database = useDatabase();
  let current = freshParts(startsAt);
  beforeEach(() => {
    current = freshParts(startsAt);
  });

  const scene: Scene = {
    get db() {
      return database.db;
    },
    get url() {
      return database.url;
    },
    get clock() {
      return current.clock;
    },
    get platform() {
      return current.platform;
    },
    async workspace(columns = {}) {
      // Its worker is there, whenever that is asked.
      const id = await createWorkspace(database.db, { last_tick_at: '2100-01-01', ...columns });
      const { tick_interval_ms: tickIntervalMs } = await database.db('workspaces').where({ id }).first();
      current.clock.set(slotFrom(current.clock.now(), { id, tickIntervalMs }).toISOString());
      return id;
    },
    channel: (workspaceId, columns = {}) => createChannel(database.db, workspaceId, columns),
    article: (workspaceId, channelId, columns = {}) =>
      createRouteArticle(database.db, { workspaceId, channelId }, columns),
    tick(workspaceId) {
      current.run ??= ticker(database.db, current.platform, current.clock);
      return current.run(workspaceId);
    },
    nextTick(workspaceId, slots = 1) {
      current.clock.advance({ minutes: 5 * slots });
      return scene.tick(workspaceId);
    },
  };
  return scene;
}

type Parts = { clock: FakeClock; platform: FakePlatform; run: ReturnType<typeof ticker> | null };

function freshParts(startsAt: string): Parts {
  return { clock: new FakeClock(startsAt), platform: new FakePlatform(), run: null };
}
