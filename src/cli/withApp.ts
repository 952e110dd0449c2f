import { type App, openApp } from '../app.ts';
import { type Clock, standingClock, systemClock } from '../clock.ts';
import { type Config, processEnvironment, readConfig } from '../config.ts';
import { createLogger } from '../logger.ts';
import { isLive, listWorkspaces, type Workspace } from '../models/workspaces.ts';
import { parseNetworks } from '../network/addressGuard.ts';
import { failed, wrongUse } from './CliError.ts';

/** What a one-shot command works with. `isRehearsal`: its clock stands still at `--at`. */
export type CommandContext = { app: App; clock: Clock; isRehearsal: boolean; signal: AbortSignal };

/** Reads the settings of this process. Throws `ConfigError`. */
export function loadConfig(): Config {
  return readConfig(processEnvironment, { parseNetworks });
}

/**
 * Opens the program for one command and closes it whatever happens. Ctrl-C aborts the command's signal.
 */
export async function withApp<Result>(
  { at }: { at?: Date | undefined },
  run: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig();
  const logger = createLogger(config.logLevel ?? 'warn');
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(failed('interrupted'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const { signal } = interrupted;
  const app = await openApp({ config, logger, signal, giveUpAfterMs: config.databaseWaitMs, attach: true });
  try {
    const clock = at ? standingClock(at) : systemClock;
    return await run({ app, clock, isRehearsal: at !== undefined, signal });
  } finally {
    await app.close();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** The workspace that a command is about: the named one, else the only one. */
export async function chooseWorkspace({ db, config }: App, name: string | undefined): Promise<Workspace> {
  const workspaces = await listWorkspaces(db);
  const names = workspaces.map(workspace => workspace.name).join(', ');
  if (workspaces.length === 0)
    throw failed(
      `There is no workspace yet in ${config.databaseUrl ? 'this database' : config.dataDir}: ` +
        'describe one in a file and run "headway apply FILE".',
    );
  if (name === undefined && workspaces.length > 1) throw wrongUse(`--workspace is needed, one of: ${names}`);
  const chosen = name === undefined ? workspaces[0] : workspaces.find(workspace => workspace.name === name);
  if (!chosen) throw wrongUse(`There is no workspace "${name}", only: ${names}`);
  return chosen;
}

/** Refuses a rehearsal on a database in which a tick ran by the system's clock, unless forced. */
export async function refuseLateRehearsal(
  { app, isRehearsal }: CommandContext,
  isForced: boolean | undefined,
): Promise<void> {
  if (!isRehearsal || isForced || !(await isLive(app.db))) return;
  throw wrongUse(
    '--at is for rehearsals, and this database is live: a tick ran by the real clock. --force overrides.',
  );
}
