-- What the installation keeps about itself (the hash of a generated password, say).
create table settings (
  key        text primary key,
  value      jsonb not null,
  updated_at timestamptz not null
);
