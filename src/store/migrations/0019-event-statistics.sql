-- PostgreSQL keeps no statistics of the columns of events that hold JSON (decision 0036). To sort thirty thousand of their values
-- was two thirds of each `analyze`, which took a second of CPU from the calls that stored events. The weeks that are there are
-- analysed as seldom as new ones (`WEEK_OPTIONS`).
-- A step of milliseconds: it changes the catalogue and no rows.
do $body$
declare
  found record;
begin
  for found in
    select pg_class.oid::regclass as name, nspname, relname, attname from pg_attribute
    join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where (pg_class.oid = 'events'::regclass or pg_class.oid in (select inhrelid from pg_inherits where inhparent = 'events'::regclass))
      and attname in ('attributes', 'context', 'mistyped') order by relname, attname
  loop
    execute format('alter table %s alter column %I set statistics 0', found.name, found.attname);
    perform pg_clear_attribute_stats(found.nspname, found.relname, found.attname, false);
    perform pg_clear_attribute_stats(found.nspname, found.relname, found.attname, true);
  end loop;
  for found in select inhrelid::regclass as name from pg_inherits where inhparent = 'events'::regclass loop
    execute format('alter table %s set (autovacuum_analyze_scale_factor = 0.2)', found.name);
  end loop;
end
$body$;
