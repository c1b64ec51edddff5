-- Counts the tags that were there before the triggers of the step before. That step locked the tables for a moment; this
-- one reads them whole and locks nothing, so it may take long. A change since then is in both tag_changes and the
-- tables, as this statement sees them, and is taken off. The owner of the tables sees no rows, but the engine does.
set local role beckon_engine;

insert into tag_counts (brand_id, tag, count, last_seen_at)
select brand_id, tag, sum(sign), max(at) from (
  select brand_id, unnest(tags) as tag, updated_at as at, 1 as sign from profiles where tags <> '{}'
  union all select brand_id, unnest(tags), updated_at, 1 from subscriptions where state = 'live'
  union all select brand_id, tag, at, -count from tag_changes
) as part
group by brand_id, tag having sum(sign) <> 0;

reset role;
