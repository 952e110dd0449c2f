-- What an article's picture shows, in words, for those who cannot see it.
alter table articles add column image_alt text;
