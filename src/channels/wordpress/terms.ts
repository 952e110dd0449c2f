import { decodeHTML } from 'entities';
import { z } from 'zod';
import { describeAnswer } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { isRefusalOfAll, refusalBeforePost } from './answers.ts';
import { type Ask, restErrorOf } from './api.ts';

/** Categories and tags as WordPress wants them: by their ids. */
export type Terms = { kind: 'resolved'; ids: number[]; notes: string[] };

const perPage = 100;
const maxPages = 10;
const mostTags = 10;

const term = z.object({ id: z.number().int().positive(), name: z.string(), slug: z.string() });
type Term = z.infer<typeof term>;

/**
 * Finds the categories that a channel names, by id, name or slug. One that the site does not have holds the
 * channel: WordPress would ignore it in silence.
 */
export async function resolveCategories(
  wanted: readonly (string | number)[],
  ask: Ask,
): Promise<Terms | NotComposed> {
  if (wanted.length === 0) return { kind: 'resolved', ids: [], notes: [] };
  const listed = await listCategories(ask);
  if (listed.kind !== 'listed') return listed;
  const ids: number[] = [];
  for (const one of wanted) {
    const found = listed.terms.filter(each => isCalled(each, one));
    const [only] = found;
    if (only === undefined) return refused(`the site has no category ${JSON.stringify(one)}: make it there`);
    if (found.length > 1)
      return refused(`the site has ${found.length} categories ${JSON.stringify(one)}: name one by its id`);
    if (!ids.includes(only.id)) ids.push(only.id);
  }
  return { kind: 'resolved', ids, notes: [] };
}

// All of them: a search by name does not find what WordPress stores as `R&amp;D`.
async function listCategories(ask: Ask): Promise<{ kind: 'listed'; terms: Term[] } | NotComposed> {
  const terms: Term[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const query = { per_page: String(perPage), page: String(page), _fields: 'id,name,slug' };
    const result = await ask({ method: 'GET', path: '/wp/v2/categories', query });
    if (result.phase !== 'answered' || result.status !== 200) return refusalBeforePost(result);
    const list = z.array(term).safeParse(parseJson(result.body)).data;
    if (list === undefined) return refusalBeforePost(result);
    terms.push(...list);
    if (list.length < perPage) break;
  }
  return { kind: 'listed', terms };
}

function isCalled({ id, name, slug }: Term, wanted: string | number): boolean {
  if (typeof wanted === 'number') return id === wanted;
  return decodeHTML(name).toLowerCase() === wanted.toLowerCase() || slug === wanted;
}

function refused(detail: string): NotComposed {
  const advice = `${detail}, or change categories`;
  return { kind: 'blocked', scope: 'channel', code: 'not_found', detail: advice, isGone: false };
}

/**
 * Finds or makes the article's tags. One that the site does not take costs itself: WordPress answers the id of a
 * tag that exists with its refusal to make another.
 */
export async function resolveTags(tags: readonly string[], ask: Ask): Promise<Terms | NotComposed> {
  const names = [...new Map(tags.map(tag => [tag.trim().toLowerCase(), tag.trim()])).values()].filter(
    Boolean,
  );
  const ids: number[] = [];
  const notes = names.slice(mostTags).map(name => `tag "${name}" left out: more than ${mostTags}`);
  for (const name of names.slice(0, mostTags)) {
    const result = await ask({ method: 'POST', path: '/wp/v2/tags', json: { name } });
    if (result.phase !== 'answered' || isRefusalOfAll(result)) return refusalBeforePost(result);
    const made = term.safeParse(parseJson(result.body)).data;
    const error = restErrorOf(result);
    if (made === undefined && error === null) return refusalBeforePost(result);
    const id = made?.id ?? (error?.code === 'term_exists' ? error.data.term_id : undefined);
    if (id === undefined) notes.push(`tag "${name}" left out: ${describeAnswer(result)}`);
    else if (!ids.includes(id)) ids.push(id);
  }
  return { kind: 'resolved', ids, notes };
}
