-- What a channel has open: it sends nothing else until it has found out. By channel, as the tick reads the
-- queue; an unknown that is left to a person has no next look-up, and costs the tick nothing.
create index route_articles_open_unknowns on route_articles (channel_id, next_lookup_at)
  where publish_status = 'unknown' and next_lookup_at is not null;
drop index route_articles_unknown;
