-- The instant that a text stands for, read as `domain/values/calendar.ts` reads it; null when it is no date. A text without an
-- offset is meant in UTC. PostgreSQL's own reader takes more, rounds what we cut, and knows no offset beyond 15 hours.
create function instant_in(given text) returns timestamptz
language sql stable parallel safe
return case
  when given ~ ('^[0-9]{4}-[0-9][0-9]-[0-9][0-9]( ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|T([01][0-9]|2[0-3]):[0-5][0-9]'
      || '(:[0-5][0-9]([.,][0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?$')
    and pg_input_is_valid(left(given, 10), 'date')
  then translate(substring(given from '^.{10}(?:[ T][0-9:]+(?:[.,][0-9]{1,3})?)?'), ',', '.')::timestamp at time zone 'UTC'
    - make_interval(
      hours => coalesce(substring(given from '^.{16}.*([+-][0-9][0-9])')::integer, 0),
      mins => coalesce((substring(given from '^.{16}.*([+-])[0-9][0-9]')
        || substring(given from '^.{16}.*[+-][0-9][0-9]:?([0-9][0-9])$'))::integer, 0))
end;

revoke execute on function instant_in from public;
grant execute on function instant_in to beckon_app, beckon_engine;
