-- Feed to channel, with filters, template and approval.
create table routes (
  id           bigint generated always as identity primary key,
  workspace_id bigint not null references workspaces on delete cascade,
  feed_id      bigint not null,
  channel_id   bigint not null,
  approval     text not null default 'manual' check (approval in ('auto', 'manual')),
  priority     smallint not null default 0,
  -- Case-insensitive substrings: one of include must occur (empty: all), none of exclude may.
  include      text[] not null default '{}',
  exclude      text[] not null default '{}',
  template     text not null default '{{ title }}',
  archived_at  timestamptz,
  created_at   timestamptz not null,
  unique (feed_id, channel_id),
  unique (id, workspace_id),
  foreign key (feed_id, workspace_id) references feeds (id, workspace_id),
  foreign key (channel_id, workspace_id) references channels (id, workspace_id)
);

create index routes_channel on routes (channel_id);
