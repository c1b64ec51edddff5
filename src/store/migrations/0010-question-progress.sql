-- A statement that reads many weeks of events tells its session how far it is: by a notice after each part that was read.
-- The function has no rows, so it can stand between the parts of a union. It is stable, because PostgreSQL keeps all
-- rows of a `with` that has a volatile function. Parts that are read side by side would be told out of order, so it is
-- not for parallel plans.
create function tell_part_read() returns setof integer language plpgsql stable parallel unsafe rows 1 as $body$
begin
  raise notice 'beckon: part read';
end
$body$;
revoke execute on function tell_part_read from public;
grant execute on function tell_part_read to beckon_app, beckon_engine;
