alter table route_articles
  -- Why a person is asked, beside the route's own rule: found after a gap, like an earlier one, or changed since.
  add column approval_reason text check (approval_reason in ('after_gap', 'possible_duplicate', 'edited')),
  add column approval_detail text,
  -- A person wrote what is to go out: whatever its feed says later changes nothing of it.
  add column is_edited boolean not null default false,
  add constraint approval_reason_while_asked check (approval_reason is null or approval_status = 'pending');

-- What people wrote before there was a column for it. Without it the feed's next edit would replace that.
update route_articles r set is_edited = true
from audit_log a where a.subject_type = 'route_article' and a.subject_id = r.id and a.action = 'edit';

-- What an edit by the feed does to an approval. Null: asks where the route asks anyway.
alter table routes add column edits text check (edits in ('ask', 'follow'));
