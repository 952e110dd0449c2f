-- The worker processes, for people to look at: nothing decides by it, locks do.
create table consumers (
  id         uuid primary key,
  host       text not null,
  pid        int not null,
  version    text not null,
  -- The command that runs it: with the web side, or without.
  role       text not null check (role in ('start', 'work')),
  queues     text[] not null,
  started_at timestamptz not null,
  seen_at    timestamptz not null
) with (fillfactor = 70);
