-- How a brand's credential was answered lately, as each worker knows it: the brake looks at all of them together. A row
-- is written only by a worker that was given a suspect answer, and is stale after some minutes.
create table channel_answers (
  brand_id integer not null,
  platform text not null check (platform in ('android', 'ios', 'web')),
  worker text not null,
  version integer not null,
  suspects integer not null,
  answers integer not null,
  at timestamptz not null,
  primary key (brand_id, platform, worker)
);

alter table channel_answers enable row level security;
alter table channel_answers force row level security;
create policy one_brand on channel_answers to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on channel_answers to beckon_engine using (true);
grant select, insert, update, delete on channel_answers to beckon_engine;
