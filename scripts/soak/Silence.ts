import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/database/Database.ts';
import { listRouteArticles } from '../../src/models/routeArticleList.ts';
import { loadSchedule } from '../../src/models/schedule.ts';
import type { Workspace } from '../../src/models/workspaces.ts';
import { explain } from '../../src/publishing/explain.ts';

/** `endedMs`: when, by `performance.now()`; by `tickedMs` before it the last tick came (null: none ever). */
export type Longest = { ms: number; workspaceId: number; endedMs: number; tickedMs: number | null };

const shortestMs = 5_000;
const mostWaiting = 1_000;

/**
 * Measures for how long a workspace tried nothing while something in it only waited for its turn, by the
 * program's own word. Sampled, and by our own clock: those of the workers are shifted.
 */
export class Silence {
  /** Null: none was longer than 5 s. */
  longest: Longest | null = null;
  readonly #db: Database;
  readonly #tries = new Map<number, number>();
  /** When each workspace with a queue last tried something, or had a reason not to. */
  readonly #quietSinceMs = new Map<number, number>();

  constructor(db: Database) {
    this.#db = db;
  }

  async sample(): Promise<void> {
    const nowMs = performance.now();
    const queued = await this.#queued();
    for (const { workspaceId, tries, isQueued } of queued) {
      const hasTried = this.#tries.get(workspaceId) !== tries;
      this.#tries.set(workspaceId, tries);
      if (hasTried || !isQueued) this.#quietSinceMs.set(workspaceId, nowMs);
      const ms = nowMs - (this.#quietSinceMs.get(workspaceId) ?? nowMs);
      if (ms < shortestMs) continue;
      const turn = await this.#findTurn(workspaceId);
      if (!turn) this.#quietSinceMs.set(workspaceId, nowMs);
      else if (ms > (this.longest?.ms ?? 0)) this.longest = { ms, workspaceId, endedMs: nowMs, ...turn };
    }
  }

  async #queued(): Promise<{ workspaceId: number; tries: number; isQueued: boolean }[]> {
    const { rows } = await this.#db.raw(selectQueued, [systemClock.now()]);
    return rows;
  }

  /** Null: nothing in the workspace waits for its turn alone. */
  async #findTurn(workspaceId: number): Promise<Pick<Longest, 'tickedMs'> | null> {
    const schedule = await loadSchedule(this.#db, workspaceId);
    const at = systemClock.now();
    // Slots that a shifted clock has used ahead of time are waited for, with an alert.
    if (!schedule || isAhead(schedule.workspace, at)) return null;
    const waiting = await listRouteArticles(this.#db, { workspaceId, state: 'waiting', limit: mostWaiting });
    const isAnyonesTurn = waiting.some(
      article => explain(article, schedule, { at, assumeWorker: true }).reason === 'waiting_turn',
    );
    if (!isAnyonesTurn) return null;
    const { lastTickAt } = schedule.workspace;
    return { tickedMs: lastTickAt && at.getTime() - lastTickAt.getTime() };
  }
}

function isAhead({ lastSlotAt }: Workspace, at: Date): boolean {
  return lastSlotAt !== null && lastSlotAt > at;
}

const selectQueued = `
  select w.id as "workspaceId", coalesce(a.tries, 0)::int as tries, q.workspace_id is not null as "isQueued"
  from workspaces w
  left join (select workspace_id, count(*) as tries from attempts group by 1) a on a.workspace_id = w.id
  left join (
    select distinct workspace_id from route_articles
    where queue_state = 1 or (queue_state = 2 and next_attempt_at <= ?)) q on q.workspace_id = w.id
  order by w.id`;
