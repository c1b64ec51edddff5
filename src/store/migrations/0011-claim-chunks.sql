-- Leases up to `wanted` chunks that are ready. Small work goes first; then brands take turns: the one with the fewest
-- chunks in work is next, and chance decides between equals. `turn` steps from brand to brand through the index, so
-- that a million waiting chunks of one brand are one step. More are chosen than wanted, because another worker may be
-- locking the first of them at this moment.
-- A function, because it is asked many times a second of a table that is empty one moment and large the next: its plan
-- is made once and must be good for both, so it may only step through indexes.
create function claim_chunks(
  of_worker text, wanted integer, lease_length interval, with_bulk boolean, given_now timestamptz
) returns setof chunks
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
  with recursive turn (brand_id) as (
    (select c.brand_id from chunks as c order by c.brand_id limit 1)
    union all
    select (select c.brand_id from chunks as c where c.brand_id > turn.brand_id order by c.brand_id limit 1)
    from turn where turn.brand_id is not null
  ), ready as (
    select found.brand_id, found.id, found.is_bulk,
      busy.count + row_number() over (partition by found.brand_id, found.is_bulk order by found.ready_at) as place
    from turn
    cross join lateral (
      select count(*) from chunks as c
      where c.brand_id = turn.brand_id and c.leased_by is not null and c.ready_at > moment
    ) as busy
    cross join lateral (
      (select c.brand_id, c.id, c.is_bulk, c.ready_at from chunks as c
       where c.brand_id = turn.brand_id and not c.is_bulk and c.ready_at <= moment and c.expires_at > moment
       order by c.ready_at limit wanted * 4)
      union all
      (select c.brand_id, c.id, c.is_bulk, c.ready_at from chunks as c
       where c.brand_id = turn.brand_id and c.is_bulk and with_bulk and c.ready_at <= moment and c.expires_at > moment
       order by c.ready_at limit wanted * 4)
    ) as found
  ), chosen as (
    select r.brand_id, r.id, r.is_bulk, r.place, random() as chance from ready as r
    order by r.is_bulk, r.place, chance limit wanted * 4
  ), taken as (
    select locked.brand_id, locked.id from (select * from chosen order by is_bulk, place, chance) as chosen
    cross join lateral (
      select c.brand_id, c.id from chunks as c
      where c.brand_id = chosen.brand_id and c.id = chosen.id and c.ready_at <= moment
      for update skip locked
    ) as locked
    limit wanted
  )
  update chunks as c set claims = c.claims + 1, leased_by = of_worker, ready_at = moment + lease_length
  from taken where c.brand_id = taken.brand_id and c.id = taken.id
  returning c.*;
end
$body$;

revoke execute on function claim_chunks from public;
grant execute on function claim_chunks to beckon_engine;
