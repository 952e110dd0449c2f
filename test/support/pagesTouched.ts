import type { Database } from '../../src/database/Database.ts';
import { selectDue } from '../../src/models/routeArticles.ts';

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };

/** The pages that the tick's statement touches, by the generic plan that a named statement gets. */
export async function pagesTouched(db: Database, channelIds: readonly number[], at: Date): Promise<number> {
  return db.transaction(async trx => {
    await trx.raw('set local plan_cache_mode = force_generic_plan');
    await trx.raw(`prepare counted_pages (bigint[], timestamptz) as ${selectDue.text}`);
    const ask = `explain (analyze, buffers, format json) execute counted_pages ('{${channelIds.join(',')}}', '${at.toISOString()}')`;
    // The first run may set hint bits and fill caches.
    await trx.raw(ask);
    const { rows } = await trx.raw(ask);
    await trx.raw('deallocate counted_pages');
    const { Plan: plan }: { Plan: Plan } = rows[0]['QUERY PLAN'][0];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  });
}
