import type { Command } from 'commander';
import { listRouteArticles } from '../../models/routeArticleList.ts';
import { wrongUse } from '../CliError.ts';
import { changeArticles } from '../changeArticles.ts';
import { print, printJson, printTable, shorten } from '../output.ts';
import { parseIds, parseInteger } from '../parseArguments.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

type ListOptions = { json?: boolean; workspace?: string; limit: number };
type RetryOptions = { json?: boolean; workspace?: string; all?: boolean };

/** `headway dead …`: articles that only a person brings back. */
export function addDead(program: Command): void {
  const dead = program.command('dead').description('show dead articles, and bring them back');
  dead
    .command('list')
    .description('list the articles that are dead, with the last error of each')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--limit <count>', 'at most so many', parseInteger(1, 100_000), 100)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway dead list')
    .action(async (options: ListOptions) => withApp({}, context => list(context, options)));
  dead
    .command('retry')
    .description('try dead articles again from the start')
    .argument('[ids...]', 'their numbers in the list', parseIds)
    .option('--all', 'all of the workspace')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway dead retry 42\n  $ headway dead retry --all')
    .action(async (ids: readonly number[], options: RetryOptions) =>
      withApp({}, context => retry(context, ids, options)),
    );
}

async function list({ app }: CommandContext, { workspace, limit, json }: ListOptions): Promise<void> {
  const articles = await findDead({ app }, { workspace, limit });
  if (json) {
    return printJson(
      articles.map(({ id: routeArticleId, channel, title, url, attempts, lastErrorCode, lastError }) => {
        return { routeArticleId, channel, title, url, attempts, code: lastErrorCode, detail: lastError };
      }),
    );
  }
  printTable(
    ['ID', 'CHANNEL', 'TITLE', 'TRIES', 'LAST ERROR'],
    articles.map(({ id, channel, title, attempts, lastErrorCode, lastError }) => [
      String(id),
      channel,
      shorten(title, 44),
      String(attempts),
      shorten(`${lastErrorCode}: ${lastError}`, 70),
    ]),
    'Nothing is dead.',
  );
}

async function retry(context: CommandContext, ids: readonly number[], options: RetryOptions): Promise<void> {
  if (options.all ? ids.length > 0 : ids.length === 0) throw wrongUse('Either numbers or --all.');
  const { workspace, all } = options;
  const chosen = all ? (await findDead(context, { workspace, limit: 100_000 })).map(({ id }) => id) : ids;
  if (chosen.length === 0 && !options.json) print('Nothing is dead.');
  await changeArticles(context, chosen, { action: 'retry' }, options);
}

async function findDead(
  { app }: Pick<CommandContext, 'app'>,
  { workspace, limit }: { workspace: string | undefined; limit: number },
) {
  const { id: workspaceId } = await chooseWorkspace(app, workspace);
  return listRouteArticles(app.db, { workspaceId, state: 'dead', limit });
}
