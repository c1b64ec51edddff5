-- How large a segment was, once a day: the row is made by whoever counts, and gets its size when that is done. One that
-- was not done within minutes is counted by somebody else.
create table segment_sizes (
  brand_id integer not null,
  segment_id bigint not null,
  day date not null,
  begun_at timestamptz not null,
  size integer check (size >= 0),
  primary key (brand_id, segment_id, day)
);

alter table segment_sizes enable row level security;
alter table segment_sizes force row level security;
create policy one_brand on segment_sizes to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on segment_sizes to beckon_engine using (true);
grant select on segment_sizes to beckon_app;
grant select, insert, update, delete on segment_sizes to beckon_engine;
