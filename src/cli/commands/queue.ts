import { type Command, Option } from 'commander';
import {
  findRouteArticle,
  type ListState,
  listRouteArticles,
  listStates,
} from '../../models/routeArticleList.ts';
import { loadSchedule } from '../../models/schedule.ts';
import { explain } from '../../publishing/explain.ts';
import { publishNow } from '../../publishing/publishNow.ts';
import { failed, wrongUse } from '../CliError.ts';
import { changeArticles } from '../changeArticles.ts';
import { formatInstant, print, printJson, printTable, shorten } from '../output.ts';
import { parseId, parseIds, parseInteger } from '../parseArguments.ts';
import { type Common, subcommand } from '../queueSubcommand.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';
import { addSettle } from './queueSettle.ts';

/** `headway queue …`: what waits and why, and what a person can do about it. */
export function addQueue(program: Command): void {
  const queue = program.command('queue').description('show what waits and why, and act on it');
  addList(queue);
  addExplain(queue);
  addChange(queue, 'approve', 'let articles go out');
  addChange(queue, 'reject', 'keep articles from going out');
  addChange(queue, 'skip', 'end articles for good');
  addChange(queue, 'retry', 'try failed or dead articles again from the start');
  addChange(queue, 'publish-again', 'publish articles once more that are out already');
  addPrioritise(queue);
  addEdit(queue);
  addPublishNow(queue);
  addSettle(queue);
}

function addList(queue: Command): void {
  subcommand(queue, 'list', 'list articles with the reason why each waits', 'list --state dead')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .addOption(new Option('--state <state>', 'which ones').choices(listStates).default('waiting'))
    .option('--limit <count>', 'at most so many', parseInteger(1, 100_000), 100)
    .action(async (options: Common & { workspace?: string; state: ListState; limit: number }) =>
      withApp(options, async context => {
        const { limit } = options;
        const found = await explainedRows(context, { ...options, limit: limit + 1 });
        const rows = found.slice(0, limit);
        if (options.json) return printJson(rows);
        printRows(rows);
        if (found.length > limit) print(`There are more than these ${limit}: --limit shows them.`);
      }),
    );
}

async function explainedRows(
  { app, clock, isRehearsal }: CommandContext,
  { workspace, state, limit }: { workspace?: string; state: ListState; limit: number },
) {
  const { id: workspaceId } = await chooseWorkspace(app, workspace);
  const schedule = await loadSchedule(app.db, workspaceId);
  if (!schedule) return [];
  const at = clock.now();
  const articles = await listRouteArticles(app.db, { workspaceId, state, limit });
  return articles.map(article => {
    const {
      id: routeArticleId,
      approvalStatus: approval,
      approvalReason,
      attempts,
      channel,
      feed,
      title,
      url,
    } = article;
    const why = explain(article, schedule, { at, assumeWorker: isRehearsal });
    const { priority, createdAt, remoteUrl } = article;
    return {
      routeArticleId,
      channel,
      feed,
      title,
      url,
      approval,
      approvalReason,
      ...why,
      attempts,
      priority,
      createdAt,
      remoteUrl,
    };
  });
}

function printRows(rows: Awaited<ReturnType<typeof explainedRows>>): void {
  printTable(
    ['ID', 'CHANNEL', 'TITLE', 'STATE', 'REASON', 'UNTIL', 'TRIES'],
    rows.map(row => [
      String(row.routeArticleId),
      row.channel,
      shorten(row.title, 44),
      row.state,
      // A row that was ended while it waited still says why it was asked about, which is no news by then.
      row.reason === 'awaiting_approval' && row.approvalReason !== null
        ? `${row.reason} (${row.approvalReason})`
        : row.reason,
      formatInstant(row.until),
      String(row.attempts),
    ]),
    'Nothing here.',
  );
}

function addExplain(queue: Command): void {
  subcommand(queue, 'explain', 'say why an article waits, and until when', 'explain 42')
    .argument('<id>', 'its number in the list', parseId)
    .action(async (id: number, options: Common) =>
      withApp(options, async ({ app, clock, isRehearsal }) => {
        const article = await findRouteArticle(app.db, id);
        const schedule = article && (await loadSchedule(app.db, article.workspaceId));
        if (!article || !schedule) throw failed(`There is no article ${id} in the queue.`);
        const why = explain(article, schedule, { at: clock.now(), assumeWorker: isRehearsal });
        const { state, reason, until, next, detail } = why;
        if (options.json) return printJson({ state, reason, until, next });
        print(`"${article.title}" in ${article.channel}: ${reason}${detail ? ` (${detail})` : ''}`);
        if (until || next) print(`  until ${formatInstant(until)}, looked at next at ${formatInstant(next)}`);
        if (state === 'published' && article.remoteUrl) print(`  ${article.remoteUrl}`);
        if (article.notes) print(`  ${article.notes}`);
      }),
    );
}

function addChange(
  queue: Command,
  action: 'approve' | 'reject' | 'skip' | 'retry' | 'publish-again',
  description: string,
): void {
  subcommand(queue, action, description, `${action} 42 43`)
    .argument('<ids...>', 'their numbers in the list', parseIds)
    .action(async (ids: readonly number[], options: Common) =>
      withApp(options, context => changeArticles(context, ids, { action }, options)),
    );
}

function addPrioritise(queue: Command): void {
  subcommand(queue, 'prioritise', 'change the priority: higher goes first', 'prioritise 42 --priority 10')
    .argument('<ids...>', 'their numbers in the list', parseIds)
    .option('--priority <number>', 'the new priority', parseInteger(-32_768, 32_767), 1)
    .action(async (ids: readonly number[], options: Common & { priority: number }) =>
      withApp(options, context =>
        changeArticles(context, ids, { action: 'prioritise', priority: options.priority }, options),
      ),
    );
}

function addEdit(queue: Command): void {
  subcommand(queue, 'edit', 'change what is to go out', 'edit 42 --title "A better title"')
    .argument('<id>', 'its number in the list', parseId)
    .option('--title <title>', 'the new title')
    .option('--text <text>', 'the new text (default: the new title)')
    .action(async (id: number, options: Common & { title?: string; text?: string }) =>
      withApp(options, async context => {
        if (options.title === undefined && options.text === undefined)
          throw wrongUse('--title, --text, or both.');
        if (options.title?.trim() === '' || options.text?.trim() === '')
          throw wrongUse('It cannot be empty.');
        const article = await findRouteArticle(context.app.db, id);
        if (!article) throw failed(`There is no article ${id} in the queue.`);
        const title = options.title ?? article.title;
        const text = options.text ?? options.title ?? article.text;
        await changeArticles(context, [id], { action: 'edit', title, text }, options);
      }),
    );
}

function addPublishNow(queue: Command): void {
  subcommand(
    queue,
    'publish-now',
    'publish an approved article now, past slot, windows and interval',
    'publish-now 42',
  )
    .argument('<id>', 'its number in the list', parseId)
    .action(async (id: number, options: Common) =>
      withApp(options, async ({ app, clock, signal }) => {
        const result = await publishNow(app.publishing, { id, actor: 'cli', clock, signal });
        if (result.kind === 'not_found') throw failed(`There is no article ${id} in the queue.`);
        if (result.kind === 'refused') throw failed(`Article ${id} was not published: ${result.detail}`);
        const { outcome, code, detail } = result.tried;
        if (options.json) printJson(result.tried);
        else if (outcome === 'published') print(`Article ${id} was published.`);
        if (outcome !== 'published') throw failed(`Article ${id}: ${outcome}, ${code} (${detail})`);
      }),
    );
}
