import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../duration.ts';
import { type CsvField, csvFields, isCsvField } from '../../imports/csvColumns.ts';
import { readCsv } from '../../imports/readCsv.ts';
import { readMarkdown } from '../../imports/readMarkdown.ts';
import { readOpml } from '../../imports/readOpml.ts';
import { readWordPress } from '../../imports/readWordPress.ts';
import type { Reading } from '../../imports/SourceRow.ts';
import type { ImportKind } from '../../models/imports.ts';
import { firstImportForm, parseFirstImport } from '../../setup/firstImport.ts';
import { wrongUse } from '../CliError.ts';
import { type FileImport, importFile, previewFile, refuseMissing } from '../importFile.ts';
import { chooseImportTarget, type ImportTargetOptions } from '../importTarget.ts';
import { parseUrl } from '../parseArguments.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';
import { addImportHistory } from './importHistory.ts';

type Common = { workspace?: string; dryRun?: boolean; json?: boolean };
type ArticleOptions = Common & ImportTargetOptions;
type CsvOptions = ArticleOptions & { map?: ReadonlyMap<CsvField, string>; encoding?: string };
type OpmlOptions = Common & { every: number; firstImport: string };

/** `headway import …`: articles and feeds out of files. */
export function addImport(program: Command): void {
  const group = program.command('import').description('bring in articles and feeds out of files');
  addCommon(
    group.command('opml').argument('<file>', 'an OPML file'),
    'add the feeds of a list of subscriptions; those that there are stay as they are',
  )
    .option('--every <duration>', 'how often each is read', parseEvery, 900_000)
    .option(
      '--first-import <which>',
      `what of each is queued when it is read first: ${firstImportForm}`,
      'baseline',
    )
    .addHelpText('after', '\nExample:\n  $ headway import opml subscriptions.opml --every 1h')
    .action((file: string, options: OpmlOptions) =>
      withApp({}, context => importOpml(context, file, options)),
    );
  addArticles(
    group.command('csv').argument('<file>', 'a table with a line of headers'),
    'import a table, one article a row',
  )
    .option(
      '--map <field=header>',
      `which column holds what (${csvFields.join(', ')}), where its header does not say so`,
      parseMap,
    )
    .option(
      '--encoding <name>',
      'the encoding of the file, such as windows-1251 (default: UTF-8 or windows-1252, as it is)',
      parseEncoding,
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ headway import csv links.csv --feed picks --channel tech --map title=Headline',
    )
    .action((file: string, options: CsvOptions) =>
      withApp({}, context =>
        importArticles(context, 'csv', file, options, ({ zone, signal }) =>
          readCsv(file, { zone, signal, map: options.map ?? new Map(), encoding: options.encoding ?? null }),
        ),
      ),
    );
  addArticles(
    group.command('wordpress').argument('<file>', 'an export (Tools, Export)'),
    'import the published posts of a WordPress export',
  )
    .addHelpText('after', '\nExample:\n  $ headway import wordpress export.xml --feed blog --baseline')
    .action((file: string, options: ArticleOptions) =>
      withApp({}, context =>
        importArticles(context, 'wordpress', file, options, how => readWordPress(file, how)),
      ),
    );
  addArticles(
    group.command('markdown').argument('<path>', 'a folder, or a .zip, .tar or .tar.gz archive of one'),
    'import Markdown files with front matter',
  )
    .option('--site <url>', 'what relative links and pictures are relative to', parseUrl)
    .addHelpText(
      'after',
      '\nExample:\n  $ headway import markdown ./content/posts --feed blog --site https://blog.example',
    )
    .action((path: string, options: ArticleOptions & { site?: string }) =>
      withApp({}, context =>
        importArticles(context, 'markdown', path, options, how =>
          readMarkdown(path, { ...how, site: options.site ?? null }),
        ),
      ),
    );
  addImportHistory(group);
}

function addCommon(command: Command, description: string): Command {
  return command
    .description(description)
    .option('--dry-run', 'say what the file holds and change nothing')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON');
}

function addArticles(command: Command, description: string): Command {
  return addCommon(command, description)
    .requiredOption('--feed <name>', 'the feed that the articles belong to; its routes say where they go')
    .option('--channel <name...>', 'make the feed, with a route to each of these on which you approve')
    .option('--baseline', 'only let them be known, so that none of them ever goes out');
}

type How = { zone: string; signal: AbortSignal };

async function importArticles(
  context: CommandContext,
  kind: ImportKind,
  file: string,
  options: ArticleOptions,
  read: (how: How) => Reading,
): Promise<void> {
  await refuseMissing(file);
  const { id: workspaceId, timezone: zone } = await chooseWorkspace(context.app, options.workspace);
  const target = await chooseImportTarget(context, workspaceId, options);
  const reading = read({ zone, signal: context.signal });
  const mode = options.baseline ? 'baseline' : 'route';
  await previewOrImport(context, options, {
    file,
    workspaceId,
    kind,
    reading,
    options: { mode },
    takeFeed: target.take,
    madeFeed: target.isNew ? target.name : null,
  });
}

async function importOpml(context: CommandContext, file: string, options: OpmlOptions): Promise<void> {
  await refuseMissing(file);
  const { id: workspaceId, timezone } = await chooseWorkspace(context.app, options.workspace);
  const firstImport = parseFirstImport(options.firstImport, timezone);
  if (firstImport === null) throw wrongUse(`--first-import is ${firstImportForm}.`);
  const feeds = { mode: 'feeds', everyMs: options.every, firstImport } as const;
  const reading = readOpml(file, { signal: context.signal });
  await previewOrImport(context, options, {
    file,
    workspaceId,
    kind: 'opml',
    reading,
    options: feeds,
    takeFeed: null,
    madeFeed: null,
  });
}

function previewOrImport(
  context: CommandContext,
  { dryRun, json }: Common,
  wanted: FileImport,
): Promise<void> {
  const how = json === undefined ? {} : { json };
  return dryRun ? previewFile(context, wanted, how) : importFile(context, wanted, how);
}

function parseMap(
  text: string,
  previous: ReadonlyMap<CsvField, string> = new Map(),
): ReadonlyMap<CsvField, string> {
  const [, field = '', header] = /^\s*(\w+)\s*=(.+)$/s.exec(text) ?? [];
  if (!isCsvField(field) || header === undefined) {
    throw new InvalidArgumentError(
      `Allowed: one of ${csvFields.join(', ')}, and a header, such as title=Headline.`,
    );
  }
  return new Map([...previous, [field, header]]);
}

function parseEncoding(text: string): string {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw new InvalidArgumentError(
      'Allowed: the name of an encoding, such as utf-8, windows-1252 or shift_jis.',
    );
  }
}

function parseEvery(text: string): number {
  const most = 7 * 86_400_000;
  try {
    const everyMs = parseDuration(text);
    if (everyMs >= 1_000 && everyMs <= most) return everyMs;
  } catch {}
  throw new InvalidArgumentError('Allowed: a duration from 1s to 7d, such as 15m.');
}
