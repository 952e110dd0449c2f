-- One destination. Archived and never deleted, so that its history stays.
create table channels (
  id                  bigint generated always as identity primary key,
  workspace_id        bigint not null references workspaces on delete cascade,
  name                text not null check (name <> ''),
  platform            text not null,
  instance            text not null,
  target              text not null,
  account_id          bigint,
  -- Whether it can publish without an active account (a folder can, a community cannot).
  needs_account       boolean not null default false,
  settings            jsonb not null default '{}',
  -- Sealed by src/secrets.ts; never plain text.
  secrets             bytea,
  publish_interval_ms bigint not null default 0 check (publish_interval_ms >= 0),
  -- Publications per local day. Null: only the workspace's cap.
  daily_cap           int check (daily_cap >= 0),
  paused              boolean not null default false,
  last_published_at   timestamptz,
  -- A hold: not to be tried before held_until (null with a reason: until a person or an event lifts it).
  hold_reason         text,
  hold_detail         text,
  held_until          timestamptz,
  -- Refusals in a row (throttled, blocked): they choose the next hold's length.
  refusals            int not null default 0 check (refusals >= 0),
  -- The breaker: failures count from failures_since on; once tripped, one probe decides.
  failures_since      timestamptz,
  breaker_tripped     boolean not null default false,
  -- Set while unhealthy; its two edges are the two alerts.
  down_since          timestamptz,
  archived_at         timestamptz,
  created_at          timestamptz not null,
  unique (workspace_id, name),
  unique (id, workspace_id),
  unique (workspace_id, platform, instance, target),
  foreign key (account_id, workspace_id) references accounts (id, workspace_id),
  check (held_until is null or hold_reason is not null)
) with (fillfactor = 70);
