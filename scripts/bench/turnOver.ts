import { selectDue } from '../../src/models/routeArticles.ts';
import { endRows, insertRows, loaderSettings, maintain } from './loadRows.ts';
import type { Scene } from './shapes.ts';

const turn = 400;

/**
 * Lets `size` rows go through a short queue: four hundred become ready, are published or skipped, and the
 * tick's query looks at what is left, each in a transaction of its own, until all have passed. The loop runs
 * on the server, where a million rows take half a minute instead of three.
 */
export async function turnOver(
  { db, workspaceId, channelIds, at }: Scene,
  size: number,
  openIds: readonly number[],
): Promise<void> {
  const [from, to] = ['first', `least(first + ${turn - 1}, ${size})`];
  await maintain(
    db,
    `do $loop$
    declare first bigint;
    begin
      for first in select generate_series(1, ${size}, ${turn}) loop
        ${loaderSettings.map(setting => `set local ${setting};`).join(' ')}
        ${insertRows({ workspaceId, channelIds, from, to })};
        commit;
        ${endRows(`article_id between ${from} and ${to}`)};
        commit;
        execute $query$ ${selectDue.text} $query$ using array[${openIds.join()}], '${at.toISOString()}'::timestamptz;
        commit;
      end loop;
    end $loop$`,
  );
}
