-- The same as before, and whoever becomes the person of a device that had none is counted again, whether or not the device was a
-- person of its own in a campaign: a browser that was detached from a person (`detachUnproved`) has their messages.
create or replace function join_device_campaigns() returns trigger language plpgsql as $body$
begin
  perform unpack_devices(new.brand_id, array[new.id]);
  with gone as (
    delete from campaign_people where brand_id = new.brand_id and profile_id = -new.id returning *
  )
  insert into campaign_people as p (brand_id, campaign_id, profile_id, trial_group, planned_at, clicked_at)
  select brand_id, campaign_id, new.profile_id, trial_group, planned_at, clicked_at from gone
  on conflict (brand_id, campaign_id, profile_id) do update set clicked_at = least(p.clicked_at, excluded.clicked_at);
  insert into goal_recounts (brand_id, profile_id)
  select new.brand_id, new.profile_id where exists (
    select from campaign_people as p where p.brand_id = new.brand_id and p.profile_id = new.profile_id)
  on conflict (brand_id, profile_id) do update set profile_id = excluded.profile_id;
  return null;
end
$body$;
