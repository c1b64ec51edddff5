-- Leases messages for up to `wanted` calls. Endpoints take turns: the one with the fewest calls under way is next, and
-- chance decides between equals; none has more than `calls_max`. Those that fail are claimed apart from those that are
-- well, so that they cannot be in anybody's way. `turn` steps from endpoint to endpoint through the index, so a million
-- waiting messages of one are one step. A function for the reason that claim_chunks is one.
create function claim_webhooks(
  of_worker text, wanted integer, lease_length interval, that_fail boolean, calls_max integer, given_now timestamptz
) returns setof webhook_messages
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
declare
  moment timestamptz := coalesce(given_now, clock_timestamp());
begin
  return query
  with recursive turn (brand_id, endpoint_id) as (
    (select m.brand_id, m.endpoint_id from webhook_messages as m where m.state = 'waiting'
     order by m.brand_id, m.endpoint_id limit 1)
    union all
    select next.brand_id, next.endpoint_id from turn cross join lateral (
      select m.brand_id, m.endpoint_id from webhook_messages as m
      where m.state = 'waiting' and (m.brand_id, m.endpoint_id) > (turn.brand_id, turn.endpoint_id)
      order by m.brand_id, m.endpoint_id limit 1
    ) as next
  ), open as materialized (
    select e.brand_id, e.id, e.batch_max, (busy.count + e.batch_max - 1) / e.batch_max as calls, random() as chance
    from turn join webhook_endpoints as e on e.brand_id = turn.brand_id and e.id = turn.endpoint_id
    cross join lateral (
      select count(*) from webhook_messages as m
      where m.brand_id = e.brand_id and m.endpoint_id = e.id and m.leased_by is not null and m.ready_at > moment
    ) as busy
    where e.disabled_at is null and coalesce(e.held_until <= moment, true)
      and (e.failing_since is not null) = that_fail
  ), ready as (
    select open.brand_id, open.id as endpoint_id, found.id, open.chance,
      open.calls + (row_number() over (partition by open.brand_id, open.id order by found.ready_at) - 1)
        / open.batch_max as place
    from open cross join lateral (
      select m.id, m.ready_at from webhook_messages as m
      where m.brand_id = open.brand_id and m.endpoint_id = open.id and m.state = 'waiting' and m.ready_at <= moment
      order by m.ready_at limit greatest(0, least(wanted, calls_max - open.calls)) * open.batch_max
    ) as found
  ), chosen as (
    select ready.*, dense_rank() over (order by ready.place, ready.chance, ready.endpoint_id) as call from ready
  ), taken as (
    select locked.brand_id, locked.endpoint_id, locked.id
    from (select * from chosen where call <= wanted) as chosen
    cross join lateral (
      select m.brand_id, m.endpoint_id, m.id from webhook_messages as m
      where m.brand_id = chosen.brand_id and m.endpoint_id = chosen.endpoint_id and m.id = chosen.id
        and m.state = 'waiting' and m.ready_at <= moment
      for update skip locked
    ) as locked
  )
  update webhook_messages as m set claims = m.claims + 1, leased_by = of_worker, ready_at = moment + lease_length
  from taken where m.brand_id = taken.brand_id and m.endpoint_id = taken.endpoint_id and m.id = taken.id
  returning m.*;
end
$body$;

revoke execute on function claim_webhooks from public;
grant execute on function claim_webhooks to beckon_engine;
