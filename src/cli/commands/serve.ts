import type { Command } from 'commander';
import { createLogger, type Logger } from '../../logger.ts';
import { print, printError } from '../output.ts';
import { loadConfig } from '../withApp.ts';

const overTimeMs = 4_000;
const afterStopMs = 200;

const roles = {
  start: { isWorker: true, hasWeb: true, description: 'run everything: ticks, feeds and the web side' },
  work: {
    isWorker: true,
    hasWeb: false,
    description: 'run the ticks and read the feeds, without the web side',
  },
  serve: { isWorker: false, hasWeb: true, description: 'run the web side alone' },
} as const;

/** `headway start | work | serve`: the long-running forms. */
export function addServe(program: Command): void {
  for (const role of ['start', 'work', 'serve'] as const) {
    program
      .command(role)
      .description(roles[role].description)
      .addHelpText('after', `\nExample:\n  $ headway ${role}`)
      .action(() => run(role));
  }
}

async function run(role: keyof typeof roles): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config.logLevel ?? 'info');
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) return;
    logger.info({ signal }, 'told to stop');
    stopping.abort();
    // Whatever hangs: a process that was told to stop ends.
    setTimeout(() => {
      printError('Not everything could be stopped in time.');
      process.exit(1);
    }, config.shutdownGraceMs + overTimeMs).unref();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  endAtFaults(logger, stopping.signal);
  const { isWorker, hasWeb } = roles[role];
  // Queues and web side are loaded only where they run: other commands start a third faster without them.
  const { serve } = await import('../../serve.ts');
  try {
    await serve({ config, logger, isWorker, hasWeb, stopping: stopping.signal, announce: print });
  } finally {
    // All is stopped by now; what a dead network still holds open is nothing to wait for.
    setTimeout(() => process.exit(), afterStopMs).unref();
  }
}

/**
 * What nobody caught leaves the process in a state that nobody foresaw: it ends at once, and whoever starts it
 * again finds everything as after a kill. One that is stopping anyway goes on with that.
 */
function endAtFaults(logger: Logger, stopping: AbortSignal): void {
  const end = (error: unknown) => {
    if (stopping.aborted) return logger.error({ err: error }, 'fault while stopping');
    logger.fatal({ err: error }, 'ended by a fault');
    process.exit(1);
  };
  process.on('uncaughtException', end).on('unhandledRejection', end);
}
