-- Outcomes that can still be found out about. What is left to a person has no next look-up, and costs a tick
-- nothing. A waking tick asks for the first of the workspace …
drop index route_articles_unknown;
create index route_articles_unknown on route_articles (workspace_id, next_lookup_at)
  where publish_status = 'unknown' and next_lookup_at is not null;
-- … and a closer look for that of each channel, which sends nothing else until it is found out.
create index route_articles_open_unknowns on route_articles (channel_id, next_lookup_at)
  where publish_status = 'unknown' and next_lookup_at is not null;
