import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import { slotFrom } from '../../src/publishing/slot.ts';
import { until } from '../support/until.ts';
import { type FeedHosts, hasManyHosts, openFeedHosts } from './support/feedHosts.ts';
import { useFaultScene } from './support/scene.ts';
import { storeKinds, useFaultStores } from './support/stores.ts';
import { pass } from './support/ticks.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
let hosts: FeedHosts;

const feeds = 1_000;
const itemsEach = 50;
/** Of the feeds: what takes long to take apart, and what is long in coming. */
const [heavy, slow] = [12, 16];
const workspaces = 8;
/** Of each workspace, before a feed is read: more than there are slots until then. */
const articlesEach = 20;
const tickMs = 4_000;
/**
 * After the start of a slot. A tick takes a tenth of a second here, and six seconds, or its slot, where the heavy
 * documents are taken apart in the thread that it runs in.
 */
const lateMs = tickMs / 2;
/** Several times what it takes on two cores: how fast the feeds are read is not what is tested. */
const limitMs = 300_000;

beforeEach(async () => {
  hosts = await openFeedHosts({ items: itemsEach, heavy, slow });
});

afterEach(() => hosts.close());

it.runIf(hasManyHosts())(
  'reads a thousand feeds that are due at once, by one consumer, and no tick is missed or late',
  { timeout: limitMs + 60_000 },
  async () => {
    const store = storeOf(storeKinds[0] ?? 'PostgreSQL');
    const ids = await createWorkspaces();
    const worker = await scene.worker({
      redisUrl: store.redisUrl,
      // Documents may take as long as a busy machine makes them.
      limits: { ...defaultLimits, parseMs: 60_000 },
      env: { HEADWAY_INGEST_EVERY: '1s' },
    });
    for (const place of ids.keys()) await scene.publisher.accepted(`channel-${place}`, 1);

    const beganMs = systemClock.now().getTime();
    await scene.db('feeds').update({ next_fetch_at: new Date(beganMs) });
    const areRead = async () => (await countWhere('feeds', 'last_complete_at is not null')) === feeds;
    await until(areRead, { timeoutMs: limitMs, intervalMs: 250 });
    const endedMs = systemClock.now().getTime();
    // The last of the slots has its whole length.
    await pass(tickMs);
    await worker.stop();

    const ticks = await ticksDuring(ids, beganMs, endedMs);
    const longestMs = Math.max(...ticks.map(({ tookMs }) => tookMs ?? 0));
    process.stdout.write(
      `${feeds} feeds were read in ${endedMs - beganMs} ms beside ${ticks.length} ticks, the longest ${longestMs} ms\n`,
    );
    expect(await countWhere('articles', 'feed_id is not null')).toBe(feeds * itemsEach);
    expect(await countWhere('route_articles', 'route_id is not null')).toBe(feeds * itemsEach);
    expect(ticks.length).toBeGreaterThan(2 * workspaces);
    expect(ticks.filter(({ tookMs }) => tookMs === null)).toEqual([]);
    expect(ticks.filter(({ tookMs }) => (tookMs ?? 0) > lateMs)).toEqual([]);
    await scene.expectInvariants({ isRunning: false });
  },
);

/** Inserts workspaces that always have something to publish, and deals the feeds out to them: none is due yet. */
async function createWorkspaces(): Promise<number[]> {
  const now = systemClock.now();
  const ids: number[] = [];
  const channels: number[] = [];
  for (let place = 0; place < workspaces; place += 1) {
    const id = await scene.workspace({ tick_interval_ms: tickMs });
    const channel = await scene.channel(id, `channel-${place}`);
    for (let article = 0; article < articlesEach; article += 1) await scene.article(channel);
    ids.push(id);
    channels.push(channel);
  }
  const rows = Array.from({ length: feeds }, (_, number) => ({
    workspace_id: ids[number % workspaces],
    name: `feed ${number}`,
    url: hosts.urlOf(number),
    first_import: '{"mode": "all"}',
    next_fetch_at: 'infinity',
    created_at: now,
  }));
  const made = await scene.db('feeds').insert(rows).returning(['id', 'workspace_id']);
  const routes = made.map(({ id, workspace_id: workspaceId }) => ({
    workspace_id: workspaceId,
    feed_id: id,
    channel_id: channels[ids.indexOf(workspaceId)],
    approval: 'auto',
    created_at: now,
  }));
  await scene.db('routes').insert(routes);
  return ids;
}

async function countWhere(table: string, condition: string): Promise<number> {
  const [row] = await scene.db(table).whereRaw(condition).count('* as count');
  return Number(row?.count);
}

type SlotTick = {
  workspaceId: number;
  slotMs: number;
  /** From the slot's start until the publisher had answered; null: nothing went out. */
  tookMs: number | null;
};

/** What became of every slot that lies wholly between two instants. */
async function ticksDuring(ids: readonly number[], fromMs: number, toMs: number): Promise<SlotTick[]> {
  const published = await scene.db('publications').where({ state: 'published' });
  const endOf = new Map(
    published.map(row => [`${row.workspace_id} ${row.slot_at.getTime()}`, row.published_at.getTime()]),
  );
  return ids.flatMap(workspaceId =>
    slotsBetween(workspaceId, fromMs, toMs).map(slotMs => {
      const endMs = endOf.get(`${workspaceId} ${slotMs}`);
      return { workspaceId, slotMs, tookMs: endMs === undefined ? null : endMs - slotMs };
    }),
  );
}

/** In milliseconds since the epoch. */
function slotsBetween(id: number, fromMs: number, toMs: number): number[] {
  const first = slotFrom(new Date(fromMs), { id, tickIntervalMs: tickMs }).getTime();
  const count = Math.max(0, Math.floor((toMs - first) / tickMs));
  return Array.from({ length: count }, (_, place) => first + place * tickMs);
}
