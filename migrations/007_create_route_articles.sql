-- This article for that channel: approval, publishing state, and the claim.
create table route_articles (
  id               bigint generated always as identity primary key,
  workspace_id     bigint not null,
  channel_id       bigint not null,
  article_id       bigint not null,
  route_id         bigint references routes on delete set null,
  -- What goes out, and the hash of it that a person approved.
  title            text not null,
  text             text not null,
  text_hash        uuid not null,
  approval_status  text not null default 'pending' check (approval_status in ('pending', 'approved', 'rejected')),
  publish_status   text not null default 'pending'
                   check (publish_status in ('pending', 'publishing', 'published', 'skipped', 'failed', 'dead', 'unknown')),
  publish_attempts smallint not null default 0 check (publish_attempts between 0 and 4),
  next_attempt_at  timestamptz,
  priority         smallint not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  skip_reason      text check (skip_reason in ('duplicate', 'already_there', 'too_old', 'source_gone', 'by_person')),
  last_error_code  text,
  last_error       text,
  -- Fixed at routing; a publication is unique per (channel, url_key, generation).
  url_key          uuid not null,
  generation       int not null default 1 check (generation >= 1),
  -- Made once per generation: idempotency keys, webhook ids, record keys and file paths derive from them.
  post_key         uuid not null,
  post_created_at  timestamptz not null,
  -- The claim, and what a give-back restores.
  claim_token      uuid,
  claimed_at       timestamptz,
  claimed_from     text check (claimed_from in ('pending', 'failed', 'unknown')),
  claimed_wait     timestamptz,
  sending_at       timestamptz,
  -- Unknown outcomes only.
  lookups          smallint not null default 0 check (lookups >= 0),
  next_lookup_at   timestamptz,
  -- Where a row stands, and the one definition of "queued":
  -- 0 none, 1 ready, 2 waiting for next_attempt_at, 3 in flight.
  queue_state      smallint not null generated always as (case
    when publish_status = 'publishing' then 3
    when approval_status <> 'approved' or publish_status not in ('pending', 'failed') then 0
    when next_attempt_at is null then 1
    else 2 end) stored,
  -- One per channel; by article first, so that it also finds the rows of an article. A row changes its place
  -- in the queue six times, and each time every index that is not partial is written: so there are few.
  unique (article_id, channel_id),
  unique (id, workspace_id),
  foreign key (channel_id, workspace_id) references channels (id, workspace_id),
  foreign key (article_id, workspace_id) references articles (id, workspace_id),
  constraint skipped_is_terminal check (publish_status <> 'skipped' or publish_attempts = 4),
  constraint skipped_has_reason check ((publish_status = 'skipped') = (skip_reason is not null)),
  constraint failed_has_attempts_left check (publish_status <> 'failed' or publish_attempts between 1 and 3),
  constraint claim_is_whole check (
    (publish_status = 'publishing') = (claim_token is not null)
    and (claim_token is null) = (claimed_at is null)
    and (claim_token is null) = (claimed_from is null)),
  constraint wait_only_while_queued check (
    next_attempt_at is null or publish_status in ('pending', 'failed', 'dead')),
  constraint sending_only_after_gate check (
    sending_at is null or publish_status in ('publishing', 'unknown', 'published')),
  constraint lookup_only_while_unknown check (next_lookup_at is null or publish_status in ('unknown', 'publishing'))
) with (
  fillfactor = 90,
  -- Dead entries at the head of an index are walked by every tick: ten thousand of them cost about a
  -- hundred pages, so no more may pile up, however large the table is.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  -- By default a vacuum may leave dead entries at the head of an index, where every tick reads.
  vacuum_index_cleanup = on
);

-- The tick reads each open channel's head: ready rows in publishing order …
create index route_articles_ready on route_articles (channel_id, priority desc, created_at, id) where queue_state = 1;
-- … and waits by their end.
create index route_articles_waiting on route_articles (channel_id, next_attempt_at) where queue_state = 2;
-- One in flight per workspace, and how recovery finds it.
create unique index route_articles_in_flight on route_articles (workspace_id) where queue_state = 3;
-- Unknown outcomes, for look-ups and for a person.
create index route_articles_unknown on route_articles (workspace_id, next_lookup_at) where publish_status = 'unknown';
-- The inbox, the dead and the lists by state.
create index route_articles_listed on route_articles (workspace_id, publish_status, id)
  where publish_status in ('pending', 'failed', 'dead', 'unknown');
-- Whatever settles a publication frees the rows that wait for its key.
create index route_articles_duplicates on route_articles (channel_id, url_key)
  where queue_state = 2 and last_error_code = 'duplicate_in_flight';
