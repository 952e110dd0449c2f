import type { Command } from 'commander';
import { recordTicks } from '../../models/workspaces.ts';
import type { TickResult } from '../../publishing/tickResult.ts';
import { describeTick } from '../describeTick.ts';
import { print, printJson } from '../output.ts';
import { parseInstant } from '../parseArguments.ts';
import { chooseWorkspace, refuseLateRehearsal, withApp } from '../withApp.ts';

type Options = { at?: Date; force?: boolean; json?: boolean; workspace?: string };

/** `headway tick`: one tick of one workspace, now. */
export function addTick(program: Command): void {
  program
    .command('tick')
    .description('run one tick of a workspace: publish at most one article')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--at <instant>', 'rehearse with a clock that stands still at this instant', parseInstant)
    .option('--force', 'rehearse even on a live database')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ headway tick --json')
    .action(async ({ at, force, json, workspace }: Options) =>
      withApp({ at }, async context => {
        await refuseLateRehearsal(context, force);
        const { app, clock, isRehearsal, signal } = context;
        const { id: workspaceId } = await chooseWorkspace(app, workspace);
        const result = await app.publishNextArticle.handle({ workspaceId }, { clock, signal });
        await recordTicks(app.db, [{ workspaceId, at: clock.now() }], { isRehearsal });
        if (json) printJson(toJson(result));
        else print(describeTick(result));
      }),
    );
}

// The shape that scripts rely on; a detail stands in it only where there is one.
function toJson({ detail, ...result }: TickResult): object {
  return detail === null ? result : { ...result, detail };
}
