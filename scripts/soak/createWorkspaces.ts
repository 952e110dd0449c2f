import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/database/Database.ts';
import type { FakePublisher } from '../../test/faults/support/fakePublisher.ts';
import { createChannel, createWorkspace } from '../../test/support/factories.ts';
import type { Random } from './random.ts';

/** A day in the life of a workspace is 2 s: a slot of five minutes, 150 times as fast. */
export const slotMs = 2_000;

/** Where articles can be fed to. `path`: where at the publisher its posts arrive. */
export type Outlet = { workspaceId: number; channelId: number; path: string };

const timezones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
const cappedWorkspaces = 0.1;
const cappedChannels = 0.1;
const spacedChannels = 0.2;

/**
 * Creates the workspaces, each with a channel of every kind that a lost answer can meet: one whose receiver
 * drops what it knows, one that can be asked, and one that can neither. Some have caps, some intervals.
 */
export async function createWorkspaces(
  db: Database,
  { count, publisher, random }: { count: number; publisher: FakePublisher; random: Random },
): Promise<Outlet[]> {
  const outlets: Outlet[] = [];
  for (let made = 0; made < count; made += 1) {
    const workspaceId = await createWorkspace(db, {
      created_at: systemClock.now(),
      tick_interval_ms: slotMs,
      timezone: random.pick(timezones),
      daily_cap: random.chance(cappedWorkspaces) ? random.whole(5, 40) : null,
    });
    for (const [kind, settingsOf] of Object.entries(kinds)) {
      const path = `${kind}-${workspaceId}`;
      // Only the first kind forgives: a second post to another one is a second post.
      publisher.setDedupes(path, kind === 'repeat');
      const channelId = await createChannel(db, workspaceId, {
        platform: 'webhook',
        settings: settingsOf(`${publisher.url}/${path}`),
        publish_interval_ms: random.chance(spacedChannels) ? random.whole(2, 5) * slotMs : 0,
        daily_cap: random.chance(cappedChannels) ? random.whole(3, 20) : null,
      });
      outlets.push({ workspaceId, channelId, path });
    }
  }
  return outlets;
}

const kinds: Readonly<Record<'repeat' | 'look-up' | 'blind', (url: string) => object>> = {
  repeat: url => ({ url }),
  'look-up': url => ({ url, statusUrl: `${url}/status/{id}` }),
  blind: url => ({ url, ignoresIds: true }),
};
