-- PostgreSQL keeps no statistics of the column `brand_id` (decision 0035). A brand that the statistics did not know counted as
-- a brand without rows, so that each index that begins with the brand looked as good as the right one. After an import,
-- each lookup read all rows of the brand, until the next `analyze`. Without statistics, PostgreSQL takes every brand for one of 200.
-- A step of milliseconds: it changes the catalogue and no rows.
do $body$
declare
  found record;
begin
  for found in
    select pg_class.oid::regclass as name, nspname, relname from pg_attribute
    join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where attname = 'brand_id' and relkind in ('r', 'p') and nspname = current_schema() order by relname
  loop
    execute format('alter table %s alter column brand_id set statistics 0', found.name);
    perform pg_clear_attribute_stats(found.nspname, found.relname, 'brand_id', false);
    perform pg_clear_attribute_stats(found.nspname, found.relname, 'brand_id', true);
  end loop;
end
$body$;
