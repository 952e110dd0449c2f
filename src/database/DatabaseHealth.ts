import type { Logger } from '../logger.ts';
import { isDatabaseAway, isOutOfRoom } from './transact.ts';

/** What the process knows of its database, from what happened to those who asked it something. */
export type DatabaseHealth = {
  /** Why it cannot serve, in the server's or the network's words; null: it can, as far as anybody noticed. */
  readonly trouble: string | null;
  /**
   * Tells of an error. False: it is a fault of ours, for the caller to log. True: the database is away, which
   * is logged here, once for each kind of trouble, however many may meet it.
   */
  failed(error: unknown): boolean;
  /** Something was answered. A server that cannot be written to still answers: only `wrote` ends that. */
  answered(options?: { wrote: boolean }): void;
};

// Where connections run out, some are answered while others are refused: that is one trouble, not many.
const calmMs = 2_000;

/** One log line when the database is lost and one when it is reached again. Troubles end after 2 s of calm. */
export function createDatabaseHealth(logger: Logger): DatabaseHealth {
  const known = new Set<Kind>();
  let trouble: string | null = null;
  let failedAtMs = 0;
  return {
    get trouble() {
      return trouble;
    },
    failed(error) {
      if (!isDatabaseAway(error)) return false;
      const kind = kindOf(error);
      failedAtMs = performance.now();
      if (known.has(kind)) return true;
      known.add(kind);
      trouble = reasonOf(error);
      logger.error({ kind }, `database lost: ${trouble}`);
      return true;
    },
    answered({ wrote } = { wrote: false }) {
      if (known.size === 0 || performance.now() - failedAtMs < calmMs) return;
      if (!wrote && (known.has('disk full') || known.has('read-only'))) return;
      known.clear();
      trouble = null;
      logger.info('database reached');
    },
  };
}

type Kind = 'unreachable' | 'too many connections' | 'disk full' | 'read-only';

const kinds: Readonly<Record<string, Kind>> = {
  '53300': 'too many connections',
  '25006': 'read-only',
};

function kindOf(error: unknown): Kind {
  for (const at of causesOf(error)) {
    if (isOutOfRoom(at)) return 'disk full';
    const kind = 'code' in at && typeof at.code === 'string' ? kinds[at.code] : undefined;
    if (kind !== undefined) return kind;
  }
  return 'unreachable';
}

// The first cause says it best: what is wrapped around it says who noticed. Knex puts the statement in front.
function reasonOf(error: unknown): string {
  const last = causesOf(error).at(-1);
  if (last instanceof AggregateError && last.message === '') return reasonOf(last.errors[0]);
  const text = last?.message ?? String(error);
  const at = text.lastIndexOf(' - ');
  return at < 0 ? text : text.slice(at + 3);
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && !causes.includes(at); at = at.cause) causes.push(at);
  return causes;
}
