import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createBacklog } from '../support/factories.ts';
import { pagesTouched } from '../support/pagesTouched.ts';
import { until } from '../support/until.ts';
import { runCommand } from './support/command.ts';
import type { Fault } from './support/Fault.ts';
import { limitsInForce } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
/** Nothing runs out while a worker is frozen, or a publisher does not answer. */
const patient = { ...defaultLimits, reconcileMs: limitsInForce.reconcileMs };
const hourMs = 3_600_000;
const mostPages = 150;
const backlogLimitMs = 120_000;
const debug = { HEADWAY_LOG_LEVEL: 'debug' };

const idleTicks = (worker: Worker) => worker.lines.filter(({ msg }) => msg === 'tick was idle');
const later = () => new Date(systemClock.now().getTime() + hourMs);

describe('a queue whose head is blocked', () => {
  it.each([10, 100_000])(
    'F23 lets the first publishable article out at this tick, behind %i blocked ones',
    { timeout: backlogLimitMs },
    async count => {
      const workspaceId = await scene.workspace();
      const channels = [
        await scene.channel(workspaceId, 'waiting'),
        await scene.channel(workspaceId, 'news'),
      ];
      for (const path of ['third', 'fourth']) channels.push(await scene.channel(workspaceId, path));
      const closed = await scene.channel(workspaceId, 'closed', { columns: { paused: true } });
      const [waiting = 0, news = 0] = channels;
      await createBacklog(scene.db, { workspaceId, channelId: waiting, count: count / 2 });
      const inBackoff = { publish_status: 'failed', publish_attempts: 1, next_attempt_at: later() };
      await scene.db('route_articles').update(inBackoff);
      await createBacklog(scene.db, { workspaceId, channelId: closed, count: count / 2 });
      await scene.db.raw('vacuum analyze route_articles');
      const id = await scene.article(news, { created_at: systemClock.now() });
      await scene.db.raw('truncate faults.transitions');

      const pages = await pagesTouched(scene.db, channels, systemClock.now());
      const worker = await scene.worker({ env: debug });
      await scene.reached(id, 'published');
      const idleBefore = idleTicks(worker).filter(({ time = '' }) => String(time) < publishedAt(worker));

      expect(pages).toBeLessThanOrEqual(mostPages);
      expect(idleBefore).toEqual([]);
      expect(await scene.db('attempts').pluck('route_article_id')).toEqual([id]);
      await scene.expectInvariants();
    },
  );
});

const publishedAt = (worker: Worker) =>
  String(worker.lines.find(({ msg }) => msg === 'article published')?.time ?? '');

/** A workspace with two articles, and a worker that froze in its first tick. */
async function freezeAt(place: Pick<Fault & { statement: string }, 'statement'>) {
  const workspaceId = await scene.workspace();
  const news = await scene.channel(workspaceId, 'news');
  const [first, second] = [await scene.article(news), await scene.article(news)];
  const faults = [{ when: 'before', do: 'stop', ...place }] as const;
  const worker = await scene.worker({ limits: patient, faults, env: debug });
  await worker.struck();
  const frozenAt = systemClock.now();

  /** Goes on, and resolves when the second article went out by that very tick. */
  async function goOn() {
    worker.thaw();
    await scene.reached(second, 'published');
    const [publication] = await scene.db('publications').where({ route_article_id: second });
    const aboutNowMs = 500;
    expect(publication.slot_at - frozenAt.getTime()).toBeLessThan(aboutNowMs);
    expect(worker.lines.filter(({ msg }) => msg === 'article published')).toHaveLength(1);
  }
  return { workspaceId, first, second, goOn };
}

const beforeClaim = { statement: 'claim-route-article' };
const beforeLock = { statement: 'select pg_try_advisory_lock(hashtextextended($1, 0)) as answer' };

describe('an article that becomes blocked between its selection and its claim', () => {
  it.each(['reject', 'skip'])('F24 makes room for the next one in the same tick: %s', async action => {
    const { first, goOn } = await freezeAt(beforeClaim);

    const end = await runCommand(scene.url, ['queue', action, first]);
    await goOn();

    expect(end).toMatchObject({ exitCode: 0 });
    const expected = action === 'reject' ? { publish_status: 'pending' } : { publish_status: 'skipped' };
    expect(await scene.row(first)).toMatchObject(expected);
    await scene.expectInvariants();
  });

  it('F24 makes room for the next one in the same tick: claimed by another, who died of it', async () => {
    const { first, goOn } = await freezeAt(beforeLock);
    const faults = [{ when: 'after', statement: 'claim-route-article', do: 'kill' }] as const;
    const other = await scene.worker({ faults, limits: patient });
    await other.ended();
    await until(async () => (await locksHeld()) === 0);

    await goOn();

    expect(await scene.row(first)).toMatchObject({ publish_status: 'failed', publish_attempts: 1 });
    await scene.expectInvariants();
  });

  it('F24 makes room for the next one in the same tick: locked by somebody', async () => {
    const { first, goOn } = await freezeAt(beforeClaim);
    const somebody = await scene.db.transaction();
    await somebody.raw('select from route_articles where id = ? for update', [first]);

    await goOn().finally(() => somebody.rollback());

    expect(await scene.reached(first, 'published')).toMatchObject({ publish_attempts: 1 });
    await scene.expectInvariants();
  });
});

async function locksHeld(): Promise<number> {
  const { rows } = await scene.db.raw(
    `select count(*) from pg_locks l join pg_database d on d.oid = l.database
     where d.datname = current_database() and l.locktype = 'advisory' and l.granted`,
  );
  return Number(rows[0].count);
}
