-- Credentials on a platform; several channels can share one.
create table accounts (
  id           bigint generated always as identity primary key,
  workspace_id bigint not null references workspaces on delete cascade,
  name         text not null check (name <> ''),
  platform     text not null,
  instance     text not null default '',
  username     text,
  settings     jsonb not null default '{}',
  -- Sealed by src/secrets.ts; never plain text.
  secrets      bytea,
  status       text not null default 'active' check (status in ('active', 'needs_attention', 'disabled')),
  -- A hold: not to be tried before held_until (null with a reason: until a person or an event lifts it).
  hold_reason  text,
  hold_detail  text,
  held_until   timestamptz,
  refusals     int not null default 0 check (refusals >= 0),
  down_since   timestamptz,
  archived_at  timestamptz,
  created_at   timestamptz not null,
  unique (workspace_id, name),
  unique (id, workspace_id),
  check (held_until is null or hold_reason is not null)
) with (fillfactor = 70);
