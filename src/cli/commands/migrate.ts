import type { Command } from 'commander';
import { connectDatabase } from '../../database/connectDatabase.ts';
import { migrate } from '../../database/migrate.ts';
import { createLogger } from '../../logger.ts';
import { print, printJson } from '../output.ts';
import { loadConfig } from '../withApp.ts';

/** `headway migrate`: brings the schema up to date. Every start does so too. */
export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database up to date (every start does so too)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway migrate')
    .action(async ({ json }: { json?: boolean }) => {
      const config = loadConfig();
      const logger = createLogger(config.logLevel ?? 'warn');
      const { signal } = new AbortController();
      const limits = { signal, giveUpAfterMs: config.databaseWaitMs, attach: true };
      const { db, close } = await connectDatabase({ ...config, logger, ...limits });
      try {
        const { applied } = await migrate(db, logger);
        if (json) printJson({ applied });
        else
          print(applied.length === 0 ? 'The database is up to date.' : `Applied:\n  ${applied.join('\n  ')}`);
      } finally {
        await close();
      }
    });
}
