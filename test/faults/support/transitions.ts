import type { Database } from '../../../src/database/Database.ts';

/** A change of a route article's state, as the database saw it. */
export type Transition = {
  id: number;
  routeArticleId: number;
  fromStatus: string;
  toStatus: string;
  fromAttempts: number;
  toAttempts: number;
  /** The transaction that did it: its attempt and audit rows carry the same in `xmin`. */
  xid: string;
};

/**
 * Lets the database itself note every change of state from now on, in a schema of its own: what the program
 * says about itself can then be held against what it did. Forgets what was noted before.
 */
export async function recordTransitions(db: Database): Promise<void> {
  await db.raw(`
    create schema if not exists faults;
    create table if not exists faults.transitions (
      id bigint generated always as identity primary key, xid text not null, route_article_id bigint not null,
      from_status text not null, to_status text not null, from_attempts int not null, to_attempts int not null);
    truncate faults.transitions;
    create or replace function faults.note_transition() returns trigger language plpgsql as $$
    begin
      insert into faults.transitions
        (xid, route_article_id, from_status, to_status, from_attempts, to_attempts)
      values (pg_current_xact_id()::xid::text, new.id, old.publish_status, new.publish_status,
              old.publish_attempts, new.publish_attempts);
      return null;
    end $$;
    create or replace trigger note_transition after update on route_articles for each row
      when (old.publish_status <> new.publish_status or old.publish_attempts <> new.publish_attempts)
      execute function faults.note_transition();`);
}

/** What was noted, in its order. */
export async function readTransitions(db: Database): Promise<Transition[]> {
  return db('faults.transitions').orderBy('id').select({
    id: 'id',
    routeArticleId: 'route_article_id',
    fromStatus: 'from_status',
    toStatus: 'to_status',
    fromAttempts: 'from_attempts',
    toAttempts: 'to_attempts',
    xid: 'xid',
  });
}
