-- A line of the audit log costs time in proportion to its content. `jsonb_object_agg` and `jsonb_agg` copy each text of a
-- nested value by looking through the rest of the value, so that 60 000 fields of a campaign took a minute. Objects and
-- lists are therefore put together as text.
create or replace function hide_people(given jsonb) returns jsonb language plpgsql immutable as $body$
declare
  is_about_person boolean;
begin
  if jsonb_typeof(given) = 'array' then
    return (select '[' || coalesce(string_agg(case when jsonb_typeof(item) in ('object', 'array')
        then hide_people(item) else item end::text, ',' order by place), '') || ']'
      from jsonb_array_elements(given) with ordinality as items (item, place))::jsonb;
  end if;
  if jsonb_typeof(given) <> 'object' then return given; end if;
  is_about_person := lower(coalesce(given ->> 'attribute', given ->> 'user_attribute'))
    in ('email', 'mobile', 'userid', 'user_id');
  return (select '{' || coalesce(string_agg(to_jsonb(name)::text || ':' || case
      when name in ('users', 'user_ids') then '"[hidden]"'
      when is_about_person and name not in ('attribute', 'user_attribute') then '"[hidden]"'
      when jsonb_typeof(value) in ('object', 'array') then hide_people(value)::text
      else value::text end, ','), '') || '}'
    from jsonb_each(given) as fields (name, value))::jsonb;
end
$body$;

create or replace function audit_columns(given jsonb, names text[], secret text) returns jsonb language sql immutable as $body$
  select ('{' || string_agg(to_jsonb(name)::text || ':' || case
      when given ->> name is null then 'null'
      when name = any(string_to_array(secret, ',')) then '"[hidden]"'
      else hide_people(given -> name)::text end, ',') || '}')::jsonb
  from unnest(names) as name where given is not null
$body$;
