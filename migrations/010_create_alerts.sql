-- What operators are to be told; a later consumer sends it.
create table alerts (
  id               bigint generated always as identity primary key,
  workspace_id     bigint not null references workspaces on delete cascade,
  kind             text not null,
  message          text not null,
  channel_id       bigint references channels on delete cascade,
  account_id       bigint references accounts on delete cascade,
  feed_id          bigint references feeds on delete cascade,
  route_article_id bigint references route_articles on delete cascade,
  status           text not null default 'pending' check (status in ('pending', 'sending', 'sent', 'failed')),
  attempts         smallint not null default 0 check (attempts between 0 and 8),
  next_attempt_at  timestamptz,
  claim_token      uuid,
  claimed_at       timestamptz,
  created_at       timestamptz not null
);

create index alerts_workspace on alerts (workspace_id, id);
create index alerts_unsent on alerts (id) where status in ('pending', 'sending');
