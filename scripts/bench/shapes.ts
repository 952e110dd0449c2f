import type { Database } from '../../src/database/Database.ts';
import { bulk, endRows, loadRows, maintain } from './loadRows.ts';
import { turnOver } from './turnOver.ts';

/** A workspace with four channels, in a database of its own. */
export type Scene = {
  db: Database;
  workspaceId: number;
  channelIds: readonly number[];
  /** The instant of every tick here: later than every row. */
  at: Date;
};

export type Shape = {
  name: 'history' | 'throttled' | 'backoff' | 'churned' | 'bulk_change';
  /** The channels that `openChannels` would call open. */
  openIds: (scene: Scene) => readonly number[];
  /** Fills the empty table with `size` rows of the shape and ten due ones that are newer than all of them. */
  fill: (scene: Scene, size: number) => Promise<void>;
};

export const dueRows = 10;

/** What a table can look like that a tick must not feel. None is vacuumed before it is measured. */
export const shapes: readonly Shape[] = [
  // A long life: 99.9 % published, the rest waits for approval.
  {
    name: 'history',
    openIds: allChannels,
    async fill(scene, size) {
      const columns = {
        publish_status: "case when n % 1000 = 0 then 'pending' else 'published' end",
        approval_status: "case when n % 1000 = 0 then 'pending' else 'approved' end",
      };
      await loadRows(scene.db, { ...scene, from: 1, to: size, columns });
      await addDueRows(scene, size);
      await analyze(scene);
    },
  },
  // A backlog behind one throttled channel, whose id a tick does not pass; the due rows are in the other three.
  {
    name: 'throttled',
    openIds: ({ channelIds }) => channelIds.slice(1),
    async fill(scene, size) {
      const { db, channelIds } = scene;
      await loadRows(db, { ...scene, channelIds: channelIds.slice(0, 1), from: 1, to: size });
      await addDueRows({ ...scene, channelIds: channelIds.slice(1) }, size);
      await analyze(scene);
    },
  },
  // All failed once, in all four channels; their waits end within six hours, and none has ended.
  {
    name: 'backoff',
    openIds: allChannels,
    async fill(scene, size) {
      const wait = `timestamptz '${scene.at.toISOString()}' + (1 + n % 360) * interval '1 minute'`;
      const columns = { publish_status: "'failed'", publish_attempts: '1', next_attempt_at: wait };
      await loadRows(scene.db, { ...scene, from: 1, to: size, columns });
      await addDueRows(scene, size);
      await analyze(scene);
    },
  },
  // All went through the queue, a hundred a channel at a time, with the tick's query looking in between.
  {
    name: 'churned',
    openIds: allChannels,
    async fill(scene, size) {
      await turnOver(scene, size, scene.channelIds);
      await addDueRows(scene, size);
      await analyze(scene);
    },
  },
  // All were ready, and a person skips them at once. Their dead index entries stand before the ten due rows
  // until a VACUUM, which autovacuum starts after ten thousand of them: shown, and bounded after it.
  {
    name: 'bulk_change',
    openIds: allChannels,
    async fill(scene, size) {
      await loadRows(scene.db, { ...scene, from: 1, to: size });
      await analyze(scene);
      await bulk(scene.db, endRows('true'));
      await addDueRows(scene, size);
    },
  },
];

function allChannels({ channelIds }: Scene): readonly number[] {
  return channelIds;
}

async function addDueRows(scene: Scene, size: number): Promise<void> {
  await loadRows(scene.db, { ...scene, from: size + 1, to: size + dueRows });
}

async function analyze({ db }: Scene): Promise<void> {
  await maintain(db, 'analyze route_articles');
}
