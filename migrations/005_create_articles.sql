-- What was read, once per feed; routing makes route articles of it.
create table articles (
  id                     bigint generated always as identity primary key,
  workspace_id           bigint not null references workspaces on delete cascade,
  feed_id                bigint,
  guid                   text,
  -- As the feed gave it: this is what is posted.
  url                    text,
  -- The dedup form, and its hash (of feed and guid, or feed, title and date, without a URL).
  canonical_url          text,
  url_key                uuid not null,
  title                  text not null,
  summary                text,
  content                text,
  author                 text,
  language               text,
  tags                   text[] not null default '{}',
  image_url              text,
  content_hash           uuid not null,
  -- The feed's date, or the time first seen where it gave none that can be.
  published_at           timestamptz not null,
  is_dated               boolean not null default true,
  first_seen_at          timestamptz not null,
  -- Claimed and recovered like every queue; 'none' is not enriched at all.
  enrichment_status      text not null default 'none'
                         check (enrichment_status in ('none', 'pending', 'running', 'done', 'failed')),
  enrichment_attempts    smallint not null default 0 check (enrichment_attempts between 0 and 3),
  enrichment_claim_token uuid,
  enrichment_claimed_at  timestamptz,
  enrichment_error       text,
  unique (id, workspace_id),
  foreign key (feed_id, workspace_id) references feeds (id, workspace_id),
  check ((enrichment_status = 'running') = (enrichment_claim_token is not null))
);

create index articles_feed on articles (feed_id, id);
create index articles_enrichment on articles (id) where enrichment_status in ('pending', 'running');

-- One article is known by several keys (guid, canonical URL, title with date): any of them means "seen".
create table article_keys (
  feed_id    bigint not null references feeds on delete cascade,
  key        uuid not null,
  article_id bigint not null references articles on delete cascade,
  primary key (feed_id, key)
);

create index article_keys_article on article_keys (article_id);
