-- What the page of an article says of it, beside what its feed says.
alter table articles
  add column site_name text,
  add column page_url text,
  add column image_width int check (image_width > 0),
  add column image_height int check (image_height > 0),
  -- The unit of the work: one host is asked one thing at a time.
  add column enrichment_host text,
  -- Not tried again before. Null: at once.
  add column enrichment_next_at timestamptz,
  add constraint enriched_has_page check (
    enrichment_status not in ('pending', 'running') or (url is not null and enrichment_host is not null));

drop index articles_enrichment;
-- "The oldest of a host", and which hosts have any at all.
create index articles_to_enrich on articles (enrichment_host, id) where enrichment_status in ('pending', 'running');
-- One in flight per host, and how recovery finds it.
create unique index articles_enriching on articles (enrichment_host) where enrichment_status = 'running';

-- How long at most a publication waits for its article's page. Null: the page is not asked.
alter table feeds add column enrich_within_ms bigint check (enrich_within_ms > 0);
