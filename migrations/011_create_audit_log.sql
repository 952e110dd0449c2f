-- Who changed what, when: a row for every action of a person.
create table audit_log (
  id           bigint generated always as identity primary key,
  workspace_id bigint references workspaces on delete cascade,
  actor        text not null,
  action       text not null,
  subject_type text not null,
  subject_id   bigint not null,
  detail       jsonb not null default '{}',
  acted_at     timestamptz not null
);

create index audit_log_subject on audit_log (subject_type, subject_id, id);
