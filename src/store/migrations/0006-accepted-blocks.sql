-- The recipients of broadcasts whose message was accepted at the first attempt, as bits and not as rows (decision 0027).
-- A block is 1024 consecutive subscription ids. One row is what one settlement wrote about one block: the n-th of
-- `bits` stands for the subscription `block * 1024 + first_place + n`, counted from 0, and the first is always set. A
-- block has several rows for one notification; a subscription has its bit in one of them at most, and is in no row of
-- `deliveries` then. Rows are only added. An erasure clears the bits of the person's devices.
create table accepted_blocks (
  at timestamptz not null,
  block bigint not null,
  brand_id integer not null,
  first_place smallint not null check (first_place between 0 and 1023),
  variant smallint,
  notification_id uuid not null,
  language text,
  bits bytea not null,
  primary key (brand_id, notification_id, block, first_place)
);

-- The time line of a person reads the deliveries of a device, newest first.
create index accepted_blocks_device on accepted_blocks (brand_id, block, at);
grant select on accepted_blocks to beckon_app;
grant select, insert, update, delete on accepted_blocks to beckon_engine;

-- Every delivery as a row, for reads of all deliveries of a notification. A read about one device goes by its block
-- (store/push/delivery-sql.ts).
create view all_deliveries with (security_invoker = true) as
  select brand_id, notification_id, subscription_id, state, reason, attempt, at, language, variant, seen from deliveries
  union all
  select b.brand_id, b.notification_id, (b.block << 10) + b.first_place + n, 'accepted', null, 1, b.at, b.language,
    b.variant, null
  from accepted_blocks as b cross join lateral generate_series(0, 8 * length(b.bits) - 1) as n
  where get_bit(b.bits, n) > 0;

grant select on all_deliveries to beckon_app, beckon_engine;

-- Counts the devices of a campaign's variants, as count_variant_devices does for rows.
create function count_variant_blocks() returns trigger language plpgsql as $body$
begin
  if not exists (select from new_rows where variant is not null) then return null; end if;
  insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
  select n.brand_id, 'campaign', n.campaign_id, 'devices.accepted', 'variant', b.variant, b.devices
  from (select brand_id, notification_id, variant, sum(bit_count(bits)) as devices from new_rows
    where variant is not null group by 1, 2, 3) as b
  join notifications as n on n.brand_id = b.brand_id and n.id = b.notification_id
  where n.campaign_id is not null and not n.is_test;
  return null;
end
$body$;

revoke execute on function count_variant_blocks from public;
create trigger accepted_blocks_added after insert on accepted_blocks
  referencing new table as new_rows for each statement execute function count_variant_blocks();

call isolate_brands();
