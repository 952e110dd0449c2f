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
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime, base: null }, stderr);
}
