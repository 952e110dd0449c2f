-- This went out, or may have. Written before the request: inserting the row is the gate to the outside world.
create table publications (
  id               bigint generated always as identity primary key,
  workspace_id     bigint not null,
  channel_id       bigint not null,
  route_article_id bigint not null,
  url_key          uuid not null,
  generation       int not null check (generation >= 1),
  -- Null for a person's publish-now, and for a late success whose row was gone.
  slot_at          timestamptz,
  state            text not null check (state in ('sending', 'published', 'unknown')),
  -- The composed post, exactly as it is sent.
  post             jsonb not null,
  -- The instant of the tick that passed the gate: caps and intervals count by it, whatever the state.
  counted_at       timestamptz not null,
  sending_at       timestamptz not null,
  -- After this instant the request helper refuses to hand the request to the socket.
  send_by          timestamptz not null,
  remote_id        text,
  remote_url       text,
  published_at     timestamptz,
  foreign key (channel_id, workspace_id) references channels (id, workspace_id),
  foreign key (route_article_id, workspace_id) references route_articles (id, workspace_id),
  constraint published_has_time check ((state = 'published') = (published_at is not null))
) with (fillfactor = 90);

-- The caps and the intervals read the newest few.
create index publications_counted on publications (workspace_id, counted_at desc);
create index publications_channel_counted on publications (channel_id, counted_at desc);
create index publications_route_article on publications (route_article_id);

-- The three that keep the promises whatever the code does. Last, since of two indexes that look alike to the
-- planner, as they do while the table is small, it takes the newer one: the unique one is the right one.
create unique index publications_one_in_flight on publications (workspace_id) where state = 'sending';
create unique index publications_one_per_slot on publications (workspace_id, slot_at);
create unique index publications_once_per_channel on publications (channel_id, url_key, generation);
