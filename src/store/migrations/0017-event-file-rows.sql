-- Events whose rows are dropped once they are in a file (decision 0040).

-- `is_alone`: the rows of the range are not in `events`, but for those with a note in `event_file_changes`. `drop_after`: the rows could
-- not be dropped, because too many of them do not come back from a file as they were; this is the moment of the next try.
alter table event_files add column is_alone boolean not null default false, add column drop_after timestamptz;

-- `is_kept`: the row is not changed; it stays because a file would not give it back as it was.
alter table event_file_changes add column is_kept boolean not null default false;

-- Files that had the only copy of their events and were written again. They stay for a while: a standby that becomes the primary may not
-- know the new file yet.
create table replaced_event_files (
  brand_id integer not null,
  path text not null check (length(path) between 1 and 200),
  replaced_at timestamptz not null,
  primary key (brand_id, path)
);
alter table replaced_event_files alter column brand_id set statistics 0;
grant select, insert, delete on replaced_event_files to beckon_engine;

-- As before, but for rows that are dropped because their file has them: that is no change of an event.
create or replace function note_changed_events() returns trigger language plpgsql as $body$
begin
  if current_setting('beckon.drops_rows', true) = 'yes' then return null; end if;
  insert into event_file_changes as c (brand_id, event_id, tx, is_gone, changed_at)
  select changed.brand_id, changed.id, pg_current_xact_id(), tg_op = 'DELETE', clock_timestamp()
  from changed join event_file_weeks as w
    on w.brand_id = changed.brand_id and changed.id >= w.first_id and changed.id < w.end_id
  on conflict (brand_id, event_id) do update
  set tx = excluded.tx, is_gone = excluded.is_gone, is_kept = false,
    changed_at = case when c.is_kept then excluded.changed_at else c.changed_at end;
  return null;
end
$body$;

call isolate_brands();
