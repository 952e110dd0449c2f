import { endWaits } from '../../test/faults/support/endWaits.ts';
import type { History } from '../../test/faults/support/history.ts';
import { countOutcomes } from './countOutcomes.ts';
import { every, pause } from './every.ts';
import { feedArticles } from './feedArticles.ts';
import { type Broken, findBroken } from './findBroken.ts';
import { type FaultCounts, injectFaults } from './injectFaults.ts';
import { countKills, killWorkers } from './killWorkers.ts';
import type { World } from './openWorld.ts';
import { Person } from './Person.ts';
import { createRandom } from './random.ts';
import { formatReport } from './report.ts';
import { Silence } from './Silence.ts';
import { mendAll, settleDown } from './settleDown.ts';

export type SoakOptions = {
  seed: number;
  /** How long faults strike. */
  durationMs: number;
  /** Null: faults of all kinds; else kills alone, until there were so many. */
  kills: number | null;
  /** Articles a second. */
  rate: number;
  /** Ends it before its time, uncounted. */
  signal: AbortSignal;
};

export type SoakResult = { history: History; broken: Broken; report: string };

const endWaitsEveryMs = 4_000;
const personEveryMs = 1_000;
const sampleEveryMs = 1_000;
const tellEveryMs = 10_000;

/**
 * Torments the workers while articles are fed, then mends everything, lets all that can go out go out, and
 * holds the whole history against the promises. Null: it was ended before its time.
 */
export async function runSoak(world: World, options: SoakOptions): Promise<SoakResult | null> {
  const { signal } = options;
  const run = openRun(world, options);
  const settled = new AbortController();
  const watching = watchOver(run, AbortSignal.any([signal, settled.signal]));
  const fed = await tormentAndFeed(run);
  const history = signal.aborted ? null : await settle(run);
  settled.abort();
  await Promise.all(watching);
  if (signal.aborted || history === null) return null;
  await stopWorkers(run);
  const { slots } = world;
  const broken = findBroken(history, { fed, slots, complaints: run.complaints });
  const tookMs = performance.now() - run.startedMs;
  return {
    history,
    broken,
    report: formatReport({ outcomes: countOutcomes(history), slots, ...run, tookMs }),
  };
}

type Run = {
  world: World;
  options: SoakOptions;
  person: Person;
  silence: Silence;
  faults: FaultCounts;
  complaints: string[];
  startedMs: number;
};

function openRun(world: World, options: SoakOptions): Run {
  const { db, publisher } = world;
  return {
    world,
    options,
    person: new Person({ db, posts: publisher.posts, seed: options.seed }),
    silence: new Silence(db),
    faults: new Map(),
    complaints: [],
    startedMs: performance.now(),
  };
}

function watchOver(run: Run, signal: AbortSignal): Promise<void>[] {
  return [
    every(personEveryMs, signal, () => run.person.settle()),
    every(sampleEveryMs, signal, () => run.silence.sample()),
    every(tellEveryMs, signal, async () => console.log(await progress(run))),
  ];
}

/** Returns how many articles were fed. */
async function tormentAndFeed(run: Run): Promise<number> {
  const { world, options, person } = run;
  const { db, outlets } = world;
  const { seed, rate } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const feeding = feedArticles(db, { outlets, rate, random: createRandom(seed, 'feed'), signal });
  const during = [
    every(endWaitsEveryMs, signal, () => endWaits(db)),
    every(personEveryMs, signal, () => person.retry()),
  ];
  await torment(run);
  over.abort();
  await Promise.all(during);
  return feeding;
}

async function torment({ world, options, faults, complaints }: Run): Promise<void> {
  const { seed, durationMs, kills, signal } = options;
  if (kills !== null) return killWorkers(world, { kills, seed, signal });
  for (const slot of world.slots) slot.start();
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);
  const complain = (sentence: string) => void complaints.push(sentence);
  const injecting = injectFaults({ world, seed, signal: isOver, complain }, faults);
  await pause(durationMs, signal);
  over.abort();
  await injecting;
}

async function settle({ world, options, complaints }: Run): Promise<History> {
  console.log('everything is mended; what can go out goes out');
  await mendAll(world, sentence => complaints.push(sentence));
  return settleDown(world, options.signal);
}

async function stopWorkers({ world, complaints }: Run): Promise<void> {
  for (const slot of world.slots) {
    await slot
      .close({ isGraceful: true })
      .catch(error => void complaints.push(`${slot.name}: ${error.message}`));
  }
}

async function progress({ world: { db, publisher, slots }, faults, startedMs }: Run): Promise<string> {
  const { rows } = await db.raw(`
    select publish_status as status, count(*)::int as count from route_articles group by 1 order by 1`);
  const statuses = rows.map((row: { status: string; count: number }) => `${row.status} ${row.count}`);
  const struck = [...faults.values()].reduce((sum, count) => sum + count, 0);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  return [
    `${String(seconds).padStart(4)} s`,
    ...(struck > 0 ? [`faults ${struck}`] : []),
    `kills ${countKills(slots)}`,
    `accepted ${publisher.posts.length}`,
    ...statuses,
  ].join(', ');
}
