-- A file that a person imports, from the moment that the whole of it has been read.
create table imports (
  id            bigint generated always as identity primary key,
  workspace_id  bigint not null references workspaces on delete cascade,
  kind          text not null check (kind in ('opml', 'csv', 'wordpress', 'markdown')),
  -- The feed that its articles belong to. Null: it brings feeds.
  feed_id       bigint,
  -- The file's name, for people.
  source        text not null,
  -- What is done with its rows, by kind.
  options       jsonb not null default '{}',
  status        text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed')),
  -- In a row, with no row put in between them; the third ends it.
  interruptions smallint not null default 0 check (interruptions between 0 and 3),
  -- All of these count rows of the source; rows_done is what became of any of them, bad ones included.
  rows_total    int not null check (rows_total >= 0),
  rows_done     int not null default 0,
  rows_added    int not null default 0,
  rows_bad      int not null default 0,
  -- And these count route articles.
  queued        int not null default 0,
  too_old       int not null default 0,
  -- Of the first bad rows: the number of each, and why.
  problems      jsonb not null default '[]',
  last_error    text,
  claim_token   uuid,
  claimed_at    timestamptz,
  created_at    timestamptz not null,
  finished_at   timestamptz,
  foreign key (feed_id, workspace_id) references feeds (id, workspace_id),
  check ((kind = 'opml') = (feed_id is null)),
  check (rows_done between 0 and rows_total and rows_added + rows_bad <= rows_done),
  check ((status = 'running') = (claim_token is not null)),
  check ((claim_token is null) = (claimed_at is null)),
  check ((status in ('done', 'failed')) = (finished_at is not null))
) with (fillfactor = 70);

-- One in flight per workspace, and how recovery finds it.
create unique index imports_running on imports (workspace_id) where status = 'running';
-- "The oldest that waits", and which workspaces have one at all.
create index imports_pending on imports (workspace_id, id) where status = 'pending';
create index imports_workspace on imports (workspace_id, id);

-- The rows that are still to be put in: each goes with the transaction that puts it in.
create table import_rows (
  import_id  bigint not null references imports on delete cascade,
  -- The queue goes by age, whatever the order of the file: the row's date, infinity without one.
  sort_at    timestamptz not null,
  row_number int not null,
  record     json not null,
  -- Of the record: how many rows are read at once depends on it.
  bytes      int not null,
  primary key (import_id, sort_at, row_number)
);
