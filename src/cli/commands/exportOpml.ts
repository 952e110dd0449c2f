import type { Command } from 'commander';
import { isImportOnly } from '../../imports/importOnlyUrl.ts';
import { writeOpml } from '../../imports/writeOpml.ts';
import { listFeeds } from '../../models/feedList.ts';
import { print, printJson } from '../output.ts';
import { chooseWorkspace, withApp } from '../withApp.ts';

type Options = { workspace?: string; json?: boolean };

/** `headway export opml`: the feeds of a workspace for other programs; a command of `export`. */
export function addExportOpml(program: Command): void {
  const group = program.commands.find(command => command.name() === 'export');
  if (!group) throw new Error('the command export has to be there first');
  group
    .command('opml')
    .description('print the feeds of a workspace as a list of subscriptions')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway export opml > subscriptions.opml')
    .action((_options: Options, command: Command) =>
      // The group has options of these names as well, and takes them where they stand behind its own name.
      withApp({}, async ({ app, clock }) => {
        const { workspace, json }: Options = command.optsWithGlobals();
        const { id, name } = await chooseWorkspace(app, workspace);
        const all = await listFeeds(app.db, id);
        const feeds = all.filter(({ url }) => !isImportOnly(url)).map(({ name, url }) => ({ name, url }));
        if (json) printJson({ feeds });
        else print(writeOpml(`Feeds of ${name}`, feeds, clock.now()));
      }),
    );
}
