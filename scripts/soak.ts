import { parseArgs } from 'node:util';
import type { Broken } from './soak/findBroken.ts';
import { type CleanUps, openWorld, type World } from './soak/openWorld.ts';
import { runSoak, type SoakResult } from './soak/runSoak.ts';
import { tellStory } from './soak/tellStory.ts';

// Workspaces with a slot of 2 s, worker processes of the built program, and faults of all kinds at once, at any
// moment; then every promise is held against the whole history. What the seed decides: the workspaces, the
// articles, the publisher's moods, the faults and their order. What it cannot: in which moment of a tick they
// strike.
//
// The limits are a twentieth of the real ones. Waits of minutes and hours (backoff, look-ups, holds) are ended
// every few seconds, as time would end them: a soak of ten minutes sees what else takes days.

const usage = `npm run soak -- [--minutes N | --kills N] [--seed N] [--workspaces N] [--workers N] [--rate N]

  --minutes     how long faults strike; what follows until all is settled takes another minute. Default 10
  --kills       only kill workers, so often, and as fast as the machine bears
  --seed        decides all choices. Default: a random one, which is printed
  --workspaces  each with three channels. Default 200
  --workers     processes. Default 2, with --kills 3
  --rate        articles a second. Default 10, with --kills 4

Exit code 1: something was posted twice, lost, stuck or otherwise not as promised; 2: wrong use.`;

type Options = {
  durationMs: number;
  kills: number | null;
  seed: number;
  workspaces: number;
  workers: number;
  rate: number;
};

const storiesTold = 10;

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 2;
    return;
  }
  const cleanUps: CleanUps = [];
  const interrupted = new AbortController();
  const { signal } = interrupted;
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort());
  try {
    process.exitCode = await soak(options, { cleanUps, signal });
  } finally {
    // In turn, the last one first, whatever becomes of one of them.
    for (const cleanUp of cleanUps.reverse()) await Promise.resolve(cleanUp()).catch(console.error);
  }
  process.exit();
}

async function soak(
  options: Options,
  { cleanUps, signal }: { cleanUps: CleanUps; signal: AbortSignal },
): Promise<number> {
  const { seed, workspaces, workers } = options;
  console.log(`seed ${seed}`);
  const world = await openWorld({ seed, workspaces, workers }, cleanUps);
  process.once('exit', () => world.slots.forEach(slot => void slot.killNow()));
  if (world.redis === null) console.log('no redis-server on the PATH: the queues are in PostgreSQL');
  console.log(`${workspaces} workspaces, ${workers} workers, ${options.rate} articles a second`);
  const result = await runSoak(world, { ...options, signal });
  if (result === null) {
    console.log('interrupted');
    return 130;
  }
  console.log(result.report);
  return tell(result, world);
}

async function tell({ broken, history }: SoakResult, { logFolder, keepLogs }: World): Promise<number> {
  const { postedTwice, lost, stuck, other } = broken;
  console.log(`posted twice ${postedTwice.length}, lost ${lost.length}, stuck ${stuck.length}`);
  const sentences = Object.values(broken satisfies Broken).flat();
  if (sentences.length === 0) return 0;
  if (other.length > 0) console.log(`otherwise broken ${other.length}`);
  for (const [index, sentence] of sentences.entries()) {
    console.log(sentence);
    if (index >= storiesTold) continue;
    for (const line of await tellStory(sentence, history, logFolder)) console.log(`    ${line}`);
  }
  keepLogs();
  console.log(`the logs of all processes are in ${logFolder}`);
  return 1;
}

/** Null: wrong use. */
function readOptions(): Options | null {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      options: { minutes: text, kills: text, seed: text, workspaces: text, workers: text, rate: text },
    });
    if (values.minutes !== undefined && values.kills !== undefined) return null;
    const kills = values.kills === undefined ? null : positive(values.kills);
    return {
      durationMs: positive(values.minutes ?? '10') * 60_000,
      kills,
      seed: values.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(values.seed),
      workspaces: positive(values.workspaces ?? '200'),
      workers: positive(values.workers ?? (kills === null ? '2' : '3')),
      rate: positive(values.rate ?? (kills === null ? '10' : '4')),
    };
  } catch {
    return null;
  }
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`not a number above 0: ${text}`);
  return value;
}
