-- Counts conversions, their ltv and the people who have any, as before (0001-schema.sql), for half of the time: rows are added
-- up by their columns first, and each sum becomes the row of a part after that. Before, every row became a row for each part
-- and figure, and these were sorted by their texts.
create or replace function count_conversions() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' and keeps_results() then return null; end if;
  execute format($query$
    with changed as materialized (%s
    ), held as (
      select brand_id, profile_id, campaign_id, journey_id, variant, platform, step, sum(present) as now,
        sum(present) - sum(sign) as before
      from (
        select brand_id, profile_id, campaign_id, journey_id, variant, platform, step, sign, 0 as present from changed
        union all
        select c.brand_id, c.profile_id, c.campaign_id, c.journey_id, c.variant, c.platform, c.step, 0, 1
        from (select distinct brand_id, profile_id from changed) as person
        cross join lateral (
          select * from conversions where brand_id = person.brand_id and profile_id = person.profile_id offset 0
        ) as c
      ) as r
      group by 1, 2, 3, 4, 5, 6, 7
    ), person_part as (
      select brand_id, campaign_id, journey_id, variant, platform, step, grouping(variant, platform, step) as parts,
        (sum(now) > 0)::integer - (sum(before) > 0)::integer as converted
      from held group by brand_id, profile_id, campaign_id, journey_id, grouping sets ((), (variant), (platform), (step))
    ), figure as (
      select brand_id, campaign_id, journey_id, variant, platform, step, grouping(variant, platform, step) as parts,
        sum(sign) as conversions, sum(sign * ltv) as ltv, 0 as converted
      from changed group by brand_id, campaign_id, journey_id, grouping sets ((), (variant), (platform), (step))
      union all
      select brand_id, campaign_id, journey_id, variant, platform, step, parts, 0, 0, sum(converted)
      from person_part where converted <> 0 group by 1, 2, 3, 4, 5, 6, 7
    )
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select brand_id, case when campaign_id is null then 'journey' else 'campaign' end, coalesce(campaign_id, journey_id),
      f.name, part_of, part, f.amount
    from figure cross join lateral (values (7, 'all', ''), (3, 'variant', variant::text), (5, 'platform', platform),
      (6, 'step', step)) as p (parts, part_of, part)
    cross join lateral (values ('conversions', conversions), ('ltv', ltv), ('converted', converted)) as f (name, amount)
    where p.parts = figure.parts and part is not null and coalesce(campaign_id, journey_id) is not null and f.amount <> 0
    $query$, case tg_op
      when 'INSERT' then 'select 1 as sign, * from new_rows'
      when 'DELETE' then 'select -1 as sign, * from old_rows'
      else 'select 1 as sign, * from new_rows union all select -1, * from old_rows' end);
  return null;
end
$body$;
