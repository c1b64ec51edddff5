-- The list of a campaign's people reads those who converted, and those who clicked, in the order of their ids.
create index conversions_campaign on conversions (brand_id, campaign_id, profile_id) where campaign_id is not null;
create index campaign_people_clicked on campaign_people (brand_id, campaign_id, profile_id) where clicked_at is not null;
