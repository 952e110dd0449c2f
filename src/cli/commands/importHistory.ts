import type { Command } from 'commander';
import { importJson } from '../../imports/importJson.ts';
import { recordAudit } from '../../models/auditLog.ts';
import {
  findImport,
  type ListedImport,
  newestImports,
  openImports,
  retryImport,
} from '../../models/imports.ts';
import { failed } from '../CliError.ts';
import { describeImport } from '../describeImport.ts';
import { formatInstant, print, printJson, printTable, shorten } from '../output.ts';
import { parseInteger } from '../parseArguments.ts';
import { complaint, runImport } from '../runImport.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

type Options = { workspace?: string; json?: boolean };

const mostId = 2_147_483_647;

/** `headway import list | resume | retry`: what became of imports, and those that are not done. */
export function addImportHistory(group: Command): void {
  group
    .command('list')
    .description('list imports, the newest first, with how far they are')
    .option('--limit <count>', 'at most so many', parseInteger(1, 10_000), 50)
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway import list')
    .action((options: Options & { limit: number }) => withApp({}, context => list(context, options)));
  group
    .command('resume')
    .description('go on with the imports that were interrupted, as a running Headway does by itself')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway import resume')
    .action((options: Options) => withApp({}, context => resume(context, options)));
  group
    .command('retry')
    .argument('<id>', 'the number of an import that failed', parseInteger(1, mostId))
    .description('go on with the rest of an import that failed')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway import retry 3')
    .action((id: number, options: Options) => withApp({}, context => retry(context, id, options)));
}

async function list(
  { app }: CommandContext,
  { workspace, json, limit }: Options & { limit: number },
): Promise<void> {
  const { id } = await chooseWorkspace(app, workspace);
  const imports = await newestImports(app.db, id, limit);
  if (json) return printJson(imports.map(importJson));
  printTable(
    ['ID', 'KIND', 'SOURCE', 'FEED', 'STATE', 'DONE', 'NEW', 'BAD', 'QUEUED', 'BEGUN', 'LAST ERROR'],
    imports.map(each => [
      String(each.id),
      each.kind,
      shorten(each.source, 40),
      each.feed ?? '-',
      each.status,
      `${each.rowsDone}/${each.rowsTotal}`,
      String(each.rowsAdded),
      String(each.rowsBad),
      String(each.queued),
      formatInstant(each.createdAt),
      shorten(each.lastError ?? '', 60),
    ]),
    'Nothing was imported yet.',
  );
}

async function resume(context: CommandContext, { workspace, json }: Options): Promise<void> {
  const { id } = await chooseWorkspace(context.app, workspace);
  const open = await openImports(context.app.db, id);
  const waiting = open.filter(({ status }) => status !== 'failed');
  const ended: ListedImport[] = [];
  for (const each of waiting) ended.push(await runImport(context, each.id));
  if (ended.length === 0 && !json) print('No import waits.');
  tell(ended, context, json);
}

async function retry(context: CommandContext, id: number, { json }: Options): Promise<void> {
  const { db } = context.app;
  const found = await findImport(db, id);
  if (found === null) throw failed(`There is no import ${id}.`);
  const now = context.clock.now();
  const isRetried = await db.transaction(async trx => {
    if (!(await retryImport(trx, id))) return false;
    const { workspaceId } = found;
    await recordAudit(trx, {
      workspaceId,
      actor: 'cli',
      action: 'retry',
      subjectType: 'import',
      subjectId: id,
      now,
    });
    return true;
  });
  if (!isRetried) throw failed(`Import ${id} did not fail: it is ${found.status}.`);
  tell([await runImport(context, id)], context, json);
}

function tell(ended: readonly ListedImport[], { signal }: CommandContext, json: boolean | undefined): void {
  if (json) printJson(ended.map(importJson));
  else for (const each of ended) for (const line of describeImport(each)) print(line);
  const problems = ended.filter(({ status, rowsBad }) => status !== 'done' || rowsBad > 0);
  if (problems.length > 0) throw failed(problems.map(each => complaint(each, signal)).join('\n'));
}
