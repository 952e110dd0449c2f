-- A workspace is one publishing schedule: its cap, its calendar, its tick.
create table workspaces (
  id               bigint generated always as identity primary key,
  name             text not null unique check (name <> ''),
  -- An unknown zone raises inside the check, so none can be stored.
  timezone         text not null default 'UTC' check ((timestamptz 'epoch' at time zone timezone) is not null),
  -- Publications per local day. Null: no cap. 0: nothing goes out.
  daily_cap        int check (daily_cap >= 0),
  tick_interval_ms int not null default 300000 check (tick_interval_ms between 1000 and 86400000),
  -- Such as 'mon-fri 08:00-22:00', in the workspace's own zone. Empty: always open.
  windows          text[] not null default '{}',
  paused           boolean not null default false,
  -- The slot of the newest publication: slots only ever go forward.
  last_slot_at     timestamptz,
  -- When a tick last ran, whatever it did: what readiness and `no_worker` look at.
  last_tick_at     timestamptz,
  -- When a tick first ran by the system's clock; from then on rehearsals (--at) are refused.
  live_since       timestamptz,
  archived_at      timestamptz,
  created_at       timestamptz not null
) with (fillfactor = 70);
