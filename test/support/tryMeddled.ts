import type { Database } from '../../src/database/Database.ts';
import type { TryResult } from '../../src/publishing/nextStep.ts';
import { publishRouteArticle } from '../../src/publishing/publishRouteArticle.ts';
import { slotOf } from '../../src/publishing/slot.ts';
import { routeArticle } from './factories.ts';
import { publishingTools } from './publishing.ts';
import type { Scene } from './scene.ts';

const tickIntervalMs = 300_000;
const never = new AbortController().signal;

/** Tries one article as a tick would, and runs `meddle` between its claim and its gate. */
export async function tryMeddled(
  scene: Scene,
  routeArticleId: number,
  meddle: () => unknown,
  signal: AbortSignal = never,
): Promise<TryResult> {
  const { workspace_id: id } = await routeArticle(scene.db, routeArticleId);
  const tools = publishingTools(scene.db, scene.platform);
  const prepare = tools.service.prepare.bind(tools.service);
  let meddled: unknown;
  // Asked between the two, by code that does not wait; the gate's transaction then does.
  tools.service.prepare = destination => {
    meddled = meddle();
    return prepare(destination);
  };
  const db = beforeTransactions(scene.db, () => meddled);
  const at = scene.clock.now();
  const slotAt = slotOf(at, { id, tickIntervalMs });
  const { last_slot_at: lastSlotAt } = await scene.db('workspaces').where({ id }).first();
  const workspaceId = id;
  const circumstances = {
    workspaceId,
    repeats: null,
    tickIntervalMs,
    at,
    slotAt,
    lastSlotAt,
    clock: scene.clock,
    signal,
    cutOff: never,
  };
  return publishRouteArticle({ ...tools, db }, { routeArticleId, ...circumstances });
}

function beforeTransactions(db: Database, wait: () => unknown): Database {
  const client = new Proxy(db.client, {
    get(target, property, receiver) {
      if (property !== 'acquireConnection') return Reflect.get(target, property, receiver);
      return async () => {
        await wait();
        return target.acquireConnection();
      };
    },
  });
  return new Proxy(db, {
    get(target, property, receiver) {
      if (property === 'client') return client;
      if (property !== 'transaction') return Reflect.get(target, property, receiver);
      return async (...work: Parameters<Database['transaction']>) => {
        await wait();
        return target.transaction(...work);
      };
    },
  });
}
