import { type Change, type ChangeResult, changeRouteArticle } from '../publishing/changeRouteArticle.ts';
import { failed } from './CliError.ts';
import { print, printJson } from './output.ts';
import type { CommandContext } from './withApp.ts';

const done: Readonly<Record<Change['action'], string>> = {
  approve: 'approved',
  reject: 'rejected',
  skip: 'skipped',
  retry: 'will be tried again',
  'publish-again': 'will be published again',
  prioritise: 'moved',
  edit: 'changed',
};

/**
 * Does one action to each of several articles and says what came of it. Those that can be changed are,
 * whatever happens to the others; throws a `CliError` (exit 1) at the end if any could not.
 */
export async function changeArticles(
  { app, clock }: CommandContext,
  ids: readonly number[],
  change: Change,
  { json }: { json?: boolean },
): Promise<void> {
  const results: { id: number; result: ChangeResult }[] = [];
  for (const id of ids) {
    const result = await changeRouteArticle(app.db, { id, change, actor: 'cli', now: clock.now() });
    results.push({ id, result });
  }
  if (json) printJson(results.map(({ id, result }) => toJson(id, result)));
  else for (const { id, result } of results) if (isDone(result)) print(sentence(id, result, change));

  const problems = results.filter(({ result }) => !isDone(result));
  if (problems.length > 0)
    throw failed(problems.map(({ id, result }) => sentence(id, result, change)).join('\n'));
}

function isDone({ kind }: ChangeResult): boolean {
  return kind === 'changed' || kind === 'unchanged';
}

function sentence(id: number, result: ChangeResult, { action }: Change): string {
  switch (result.kind) {
    case 'changed':
      return `Article ${id} ${done[action]}.`;
    case 'unchanged':
      return `Article ${id} was so already.`;
    case 'refused':
      return `Article ${id} was left as it is: ${result.detail}.`;
    case 'not_found':
      return `There is no article ${id} in the queue.`;
    default:
      return result satisfies never;
  }
}

function toJson(id: number, result: ChangeResult) {
  const base = { routeArticleId: id, result: result.kind };
  if (result.kind === 'not_found') return base;
  const { approvalStatus: approval, publishStatus: state, attempts, priority } = result.article;
  const detail = result.kind === 'refused' ? result.detail : null;
  return { ...base, detail, state, approval, attempts, priority };
}
