import { dueForPublishing, selectDue } from '../../src/models/routeArticles.ts';
import type { Scene } from './shapes.ts';

/** How many 8 kB pages one run of the tick's own prepared statement touches, in memory or on disk. */
export async function countPages({ db, at }: Scene, openIds: readonly number[]): Promise<number> {
  return db.transaction(async trx => {
    // Prepares it by the product's own way, and with its settings: a generic plan.
    await dueForPublishing(trx, [0], at);
    const values = `'{${openIds.join()}}', '${at.toISOString()}'`;
    const { rows } = await trx.raw(
      `explain (analyze, buffers, format json) execute "${selectDue.name}" (${values})`,
    );
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  });
}
