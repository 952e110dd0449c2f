import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/database/Database.ts';
import { UnitLocks } from '../../src/database/lockConnection.ts';
import { createLogger } from '../../src/logger.ts';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import { FakeClock } from './fakeClock.ts';
import { FakePlatform, publishingTools, succeeded } from './publishing.ts';

/** What is asked of a tick process, one JSON line each; it answers with one, and ends with its input. */
export type TickOrder = { workspaceId: number; instants: readonly string[]; sendTakesMs: number };

/** What came of the ticks of one order, each run when `instants` says. */
export type TickReport = {
  outcomes: readonly { outcome: string; reason: string | null }[];
  posts: readonly string[];
  errors: readonly string[];
};

const [url = ''] = process.argv.slice(2);
const db = openDatabase(url);
const locks = new UnitLocks({ url, logger: createLogger('silent') });

// Both connections are open before the first order, so that two processes start theirs side by side.
await db.raw('select 1');
await (await locks.tryLock(`warm-up of ${process.pid}`))?.release();
process.stdout.write('ready\n');
for await (const chunk of process.stdin) {
  for (const line of String(chunk).split('\n').filter(Boolean)) {
    process.stdout.write(`${JSON.stringify(await runTicks(JSON.parse(line)))}\n`);
  }
}
await locks.close();
await db.destroy();

async function runTicks({ workspaceId, instants, sendTakesMs }: TickOrder): Promise<TickReport> {
  const platform = new FakePlatform();
  platform.publish = async () => {
    await sleep(sendTakesMs);
    return succeeded;
  };
  const job = new PublishNextArticleJob(publishingTools(db, platform), unit => locks.tryLock(unit));
  const { signal } = new AbortController();
  const ticks = await Promise.allSettled(
    instants.map(instant => job.handle({ workspaceId }, { clock: new FakeClock(instant), signal })),
  );
  return {
    outcomes: ticks.flatMap(tick => (tick.status === 'fulfilled' ? [tick.value] : [])),
    posts: platform.posts.map(({ title }) => title),
    errors: ticks.flatMap(tick => (tick.status === 'rejected' ? [String(tick.reason)] : [])),
  };
}
