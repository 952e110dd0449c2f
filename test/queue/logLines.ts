import { pino } from 'pino';
import type { Logger } from '../../src/logger.ts';

export type LogLine = { level: number; msg: string; err?: { message: string }; [field: string]: unknown };

/** A logger that keeps its lines. */
export function collectingLogger(): { logger: Logger; lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { logger, lines };
}
