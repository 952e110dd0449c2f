import type { Command } from 'commander';
import { parseInstant } from './parseArguments.ts';

/** The options that every subcommand of `queue` has. */
export type Common = { at?: Date; json?: boolean };

/** Adds a subcommand of `queue` with the options that all of them share. */
export function subcommand(queue: Command, usage: string, description: string, example: string): Command {
  return queue
    .command(usage)
    .description(description)
    .option('--at <instant>', 'as of this instant, with a clock that stands still', parseInstant)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  $ headway queue ${example}`);
}
