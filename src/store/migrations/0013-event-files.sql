-- Frozen weeks of events (decision 0036): Parquet files beside the rows, which stay. A file has the events of one brand and
-- one range of ids. `event_file_changes` has the events that changed since their file was written: a reader takes those from
-- their rows, and all others from the file.

-- The weeks of a brand whose changes are noted. `fence` is set by a later transaction than the one that made the row: every
-- change that was not noted has a number below it. Rows are copied to files from a snapshot in which all of those have ended.
create table event_file_weeks (
  brand_id integer not null,
  first_id bigint not null,
  end_id bigint not null check (end_id > first_id),
  fence xid8,
  frozen_at timestamptz,
  primary key (brand_id, first_id)
);

-- The files: the range of ids, what is in it, and `fence`: every change with a lower number is in the file.
create table event_files (
  brand_id integer not null,
  first_id bigint not null,
  end_id bigint not null check (end_id > first_id),
  path text not null check (length(path) between 1 and 200),
  events bigint not null,
  bytes bigint not null,
  least_event_at timestamptz not null,
  greatest_event_at timestamptz not null,
  sum_ids numeric not null,
  sum_profiles numeric not null,
  sum_ltv numeric not null,
  columns text[] not null,
  fence xid8 not null,
  written_at timestamptz not null,
  primary key (brand_id, first_id)
);

-- `is_gone`: the row is deleted, so the file must be written again soon.
create table event_file_changes (
  brand_id integer not null,
  event_id bigint not null,
  tx xid8 not null,
  is_gone boolean not null,
  changed_at timestamptz not null,
  primary key (brand_id, event_id)
);

alter table event_file_weeks alter column brand_id set statistics 0;
alter table event_files alter column brand_id set statistics 0;
alter table event_file_changes alter column brand_id set statistics 0;

grant select on event_file_weeks, event_files to beckon_app;
grant select, insert, update on event_file_changes to beckon_app;
grant select, insert, update, delete on event_file_weeks, event_files, event_file_changes to beckon_engine;

-- Notes changed and deleted events of the weeks that are watched. No writer of events can forget it. Whoever changes the same event
-- at the same time waits for the event's row first, so that the notes bring no new way to wait for each other.
create function note_changed_events() returns trigger language plpgsql as $body$
begin
  insert into event_file_changes as c (brand_id, event_id, tx, is_gone, changed_at)
  select changed.brand_id, changed.id, pg_current_xact_id(), tg_op = 'DELETE', clock_timestamp()
  from changed join event_file_weeks as w
    on w.brand_id = changed.brand_id and changed.id >= w.first_id and changed.id < w.end_id
  on conflict (brand_id, event_id) do update set tx = excluded.tx, is_gone = excluded.is_gone;
  return null;
end
$body$;
revoke execute on function note_changed_events from public;

create trigger note_updated_events after update on events
  referencing old table as changed for each statement execute function note_changed_events();
create trigger note_deleted_events after delete on events
  referencing old table as changed for each statement execute function note_changed_events();

-- The same for an event that is stored after its week was watched. The partitions of such weeks get this trigger, so that
-- the week of now pays nothing for it.
create function note_late_event() returns trigger language plpgsql as $body$
begin
  insert into event_file_changes as c (brand_id, event_id, tx, is_gone, changed_at)
  select new.brand_id, new.id, pg_current_xact_id(), false, clock_timestamp()
  from event_file_weeks as w where w.brand_id = new.brand_id and new.id >= w.first_id and new.id < w.end_id
  on conflict (brand_id, event_id) do update set tx = excluded.tx, is_gone = excluded.is_gone;
  return null;
end
$body$;
revoke execute on function note_late_event from public;

call isolate_brands();
