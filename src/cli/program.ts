import { Command, CommanderError } from 'commander';
import { ConfigError, loadEnvFile } from '../config.ts';
import { ConfigFileError } from '../setup/ConfigFileError.ts';
import { version } from '../version.ts';
import { CliError } from './CliError.ts';
import { addAccounts } from './commands/accounts.ts';
import { addApply } from './commands/apply.ts';
import { addChannels } from './commands/channels.ts';
import { addDead } from './commands/dead.ts';
import { addDemo } from './commands/demo.ts';
import { addExportOpml } from './commands/exportOpml.ts';
import { addFeeds } from './commands/feeds.ts';
import { addImport } from './commands/imports.ts';
import { addIngest } from './commands/ingest.ts';
import { addMigrate } from './commands/migrate.ts';
import { addQueue } from './commands/queue.ts';
import { addRotateKey } from './commands/rotateKey.ts';
import { addServe } from './commands/serve.ts';
import { addStatus } from './commands/status.ts';
import { addTick } from './commands/tick.ts';
import { printError } from './output.ts';

/** Runs one command line and returns its exit code: 0 done, 1 failed, 2 wrong use. */
export async function runCli(args: readonly string[]): Promise<number> {
  try {
    loadEnvFile();
    await createProgram().parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return report(error);
  }
}

/** The command line, every command with its options; also what the tests of its help texts walk through. */
export function createProgram(): Command {
  const program = new Command('headway')
    .description('A self-hosted publishing scheduler whose queue always makes headway.')
    .version(version)
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: false });
  for (const add of commands) add(program);
  applyToAll(program, command => command.exitOverride());
  return program;
}

const commands = [
  addServe,
  addMigrate,
  addApply,
  addExportOpml,
  addImport,
  addIngest,
  addTick,
  addQueue,
  addDead,
  addAccounts,
  addChannels,
  addFeeds,
  addRotateKey,
  addStatus,
  addDemo,
];

function applyToAll(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const child of command.commands) applyToAll(child, apply);
}

// Where something went wrong that a person can mend, the message alone; a stack only for a fault of ours.
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ConfigError || error instanceof ConfigFileError) {
    printError(error.message);
    return 2;
  }
  if (error instanceof CliError) {
    printError(error.message);
    return error.exitCode;
  }
  printError(error instanceof Error ? `${error.message}` : String(error));
  if (error instanceof TypeError || error instanceof ReferenceError) printError(error.stack ?? '');
  return 1;
}
