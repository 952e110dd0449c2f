create table feeds (
  id                bigint generated always as identity primary key,
  workspace_id      bigint not null references workspaces on delete cascade,
  name              text not null check (name <> ''),
  url               text not null,
  every_ms          bigint not null default 900000 check (every_ms >= 1000),
  -- What of the first read is queued: nothing, the newest n, what is dated since, or all.
  first_import      jsonb not null default '{"mode": "baseline"}'
                    check (first_import ->> 'mode' in ('baseline', 'last', 'since', 'all')),
  -- Older articles are skipped as too_old. Null: no limit.
  max_age_ms        bigint check (max_age_ms > 0),
  paused            boolean not null default false,
  -- gone: the server answered 410; only a person resumes it.
  status            text not null default 'active' check (status in ('active', 'failing', 'gone')),
  etag              text,
  last_modified     text,
  -- A permanent redirect replaces the URL after some hits in a row.
  moved_to          text,
  moved_hits        int not null default 0 check (moved_hits >= 0),
  first_imported_at timestamptz,
  last_fetched_at   timestamptz,
  -- The last complete read (200 parsed, or 304).
  last_complete_at  timestamptz,
  next_fetch_at     timestamptz not null,
  failures          int not null default 0 check (failures >= 0),
  last_error        text,
  ingest_status     text not null default 'idle' check (ingest_status in ('idle', 'fetching')),
  claim_token       uuid,
  claimed_at        timestamptz,
  archived_at       timestamptz,
  created_at        timestamptz not null,
  unique (workspace_id, name),
  unique (id, workspace_id),
  check ((ingest_status = 'fetching') = (claim_token is not null)),
  check ((claim_token is null) = (claimed_at is null))
) with (fillfactor = 70);

-- "Which feeds are due": only those that may be fetched at all.
create index feeds_due on feeds (next_fetch_at)
  where not paused and status <> 'gone' and archived_at is null;
