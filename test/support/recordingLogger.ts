import { pino } from 'pino';
import type { Logger } from '../../src/logger.ts';

export type LogLine = { level: number; msg: string } & Record<string, unknown>;

/** A logger that keeps its lines; `level` as pino counts: 30 info, 40 warn, 50 error. */
export function recordingLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const logger = pino({ level: 'debug', base: null }, { write: line => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}
