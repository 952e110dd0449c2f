-- For how long a feed's document asked not to be read again: what is unchanged (304) has no document to ask.
alter table feeds add column ttl_ms bigint not null default 0 check (ttl_ms >= 0);
