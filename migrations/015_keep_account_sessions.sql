-- What an account's credentials have opened, for every process: a log-in is not spent on each post.
alter table accounts
  -- Sealed by src/secrets.ts; never plain text.
  add column session bytea,
  -- Null: it lasts until it is refused.
  add column session_expires_at timestamptz,
  -- Counts up with each change: who used an older one reads the new one, and stores nothing over it.
  add column session_revision int not null default 0;

alter table accounts add constraint session_is_whole check (session is not null or session_expires_at is null);
