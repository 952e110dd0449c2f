-- One row per try that ended: the history behind a route article's counters.
create table attempts (
  id               bigint generated always as identity primary key,
  workspace_id     bigint not null,
  channel_id       bigint not null,
  route_article_id bigint not null references route_articles on delete cascade,
  publication_id   bigint,
  -- The count after it; a try that cost no attempt repeats the count before.
  attempt          smallint not null check (attempt between 0 and 4),
  outcome          text not null check (outcome in
                   ('published', 'skipped', 'failed', 'throttled', 'blocked', 'unknown', 'interrupted')),
  code             text,
  detail           text,
  -- Whether the channel failed, or the article was refused: only the first feeds the breaker.
  blames_channel   boolean not null default false,
  attempted_at     timestamptz not null,
  duration_ms      int not null default 0 check (duration_ms >= 0),
  foreign key (channel_id, workspace_id) references channels (id, workspace_id)
);

create index attempts_route_article on attempts (route_article_id, id);
-- The breaker counts a channel's newest failures.
create index attempts_breaker on attempts (channel_id, attempted_at desc) where outcome = 'failed' and blames_channel;
