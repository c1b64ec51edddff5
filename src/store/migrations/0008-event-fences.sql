-- A transaction that was open while a merge or an erasure committed may still write to the old profile, and it may
-- have a later number than they have. So the pipeline notes the next free number when it first sees one of them, and
-- goes on when every transaction below that has ended.
alter table profile_merges alter column tx drop default;
alter table profile_merges alter column tx drop not null;
alter table profile_merges rename column tx to fence;
grant update (fence) on profile_merges to beckon_engine;

alter table erasures alter column tx drop default;
alter table erasures alter column tx drop not null;
alter table erasures rename column tx to fence;
grant update (fence) on erasures to beckon_engine;

-- Erasing somebody forgets their merges at once, with what those remember.
grant delete on profile_merges to beckon_app;

-- Merging and erasing look for what was sent to one person.
create index notifications_profile on notifications (brand_id, profile_id) where profile_id is not null;
