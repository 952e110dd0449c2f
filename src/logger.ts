import { type Logger, pino } from 'pino';

export type { Logger };

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * One JSON line per event to standard error, past tense, ids as fields; times are ISO 8601 in UTC.
 * Standard output stays free for what a command prints.
 */
export function createLogger(level: LogLevel): Logger {
  const stderr = pino.destination({ dest: 2, sync: true });
  const serializers = { err: briefly };
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime, base: null, serializers }, stderr);
}

// Only what helps: errors of a database driver carry their whole client with them, keys included.
function briefly(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? error.code : undefined;
  return { type: error.name, message: error.message, code, stack: error.stack };
}
