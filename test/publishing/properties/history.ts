import type { Database } from '../../../src/database/Database.ts';

/** One write to a route article, or what explains one; those of one transaction share `xact`. */
export type Entry = {
  id: number;
  xact: string;
  route_article_id: number;
  kind: 'row' | 'attempt' | 'audit';
  old: Row | null;
  new: Row | null;
  /** An attempt's outcome, or a person's action. */
  cause: string | null;
  code: string | null;
  attempt: number | null;
};

export type Row = {
  publish_status: string;
  publish_attempts: number;
  claimed_from: string | null;
  sending_at: string | null;
  approval_status: string;
  claim_token: string | null;
};

/** Makes a test's database write down every change of a route article: no transition between two looks is missed. */
export async function keepHistory(db: Database): Promise<void> {
  await db.raw(`
    create table history (
      id bigint generated always as identity primary key, xact text not null default pg_current_xact_id()::text,
      route_article_id bigint, kind text, old jsonb, new jsonb, cause text, code text, attempt int)`);
  await keep(
    'route_articles',
    'update',
    `(route_article_id, kind, old, new) values (new.id, 'row', to_jsonb(old), to_jsonb(new))`,
  );
  await keep(
    'attempts',
    'insert',
    `(route_article_id, kind, cause, code, attempt)
     values (new.route_article_id, 'attempt', new.outcome, new.code, new.attempt)`,
  );
  await keep(
    'audit_log',
    'insert',
    `(route_article_id, kind, cause) values (new.subject_id, 'audit', new.action)`,
  );

  async function keep(table: string, event: string, values: string) {
    await db.raw(`create function keep_${table}() returns trigger language plpgsql as $keep$
      begin insert into history ${values}; return null; end $keep$`);
    await db.raw(
      `create trigger kept after ${event} on ${table} for each row execute function keep_${table}()`,
    );
  }
}

export function readHistory(db: Database): Promise<Entry[]> {
  return db('history').orderBy('id');
}
