-- How many notifications a person may get on one day, over journeys and broadcasts; null for any number.
alter table brands add column frequency_cap integer check (frequency_cap between 1 and 100);
grant update (frequency_cap) on brands to beckon_app, beckon_engine;

-- Whether a notification counts, and is left out for those who had enough. What was accepted before does not.
alter table notifications add column is_capped boolean not null default false;

-- Which notifications that count a person was given on a day of the brand's zone. A device that nobody logged in to is
-- a person of its own, under its id made negative. The row's lock is what keeps the count exact.
create table frequency_days (
  brand_id integer not null,
  profile_id bigint not null,
  day date not null,
  notification_ids uuid[] not null,
  primary key (brand_id, profile_id, day)
) with (fillfactor = 80);

create index frequency_days_age on frequency_days (brand_id, day);
alter table frequency_days enable row level security;
alter table frequency_days force row level security;
create policy one_brand on frequency_days to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on frequency_days to beckon_engine using (true);
grant select on frequency_days to beckon_app;
grant select, insert, update, delete on frequency_days to beckon_engine;
