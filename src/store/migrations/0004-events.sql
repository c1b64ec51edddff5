-- The event lane: what people did, what was refused, and how far the pipeline has read.

-- A brand is never deleted, and the check would lock its row once for every profile that is made.
alter table profiles drop constraint profiles_brand_id_fkey;

-- Values whose type does not fit the lock of their attribute: kept, and shown nowhere.
alter table profiles add column set_aside jsonb;

-- A new profile's number is drawn before its row is written: its name is written first.
grant usage on sequence profiles_id_seq to beckon_app, beckon_engine;

-- One stored event. The id begins with the moment of receipt (milliseconds, then 21 bits: 11 of the batch's number,
-- 10 of the place in it), so ids rise with time and a range of ids is a span of time: the table is cut along them
-- into weeks, which a loop makes ahead and retention drops. `event_at` is when the event happened. `event_id` is the
-- caller's own. An event that was moved by a merge keeps in `source_profile_id` whose it was at first.
-- Columns stand in the order that leaves no gaps between them.
create table events (
  id bigint not null,
  profile_id bigint not null,
  event_at timestamptz not null,
  brand_id integer not null,
  is_before_creation boolean not null,
  event_name text not null,
  ltv numeric not null,
  attributes jsonb not null,
  set_aside jsonb,
  context jsonb,
  event_id text,
  source_profile_id bigint,
  primary key (brand_id, id)
) partition by range (id);

-- Takes what no week was made for, so that a loop that is late costs tidiness and not events.
create table events_default partition of events default;

create index events_profile on events (brand_id, profile_id, event_at);
create index events_name on events (brand_id, event_name, event_at);
alter table events enable row level security;
alter table events force row level security;
create policy one_brand on events to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on events to beckon_engine using (true);
grant select, insert on events to beckon_app;
grant select, insert, update (profile_id, source_profile_id), delete on events to beckon_engine;

-- What was stored by one statement: the events with ids from `id` to `id` + 1023. Transactions commit in another
-- order than they begin, so readers go by `tx` and stop where a transaction may still be open: that is how nothing
-- is skipped. `attributes_seen` counts values per event and attribute: {"event": {"attribute": [shown, set aside]}}.
create table event_batches (
  brand_id integer not null,
  tx xid8 not null default pg_current_xact_id(),
  id bigint not null,
  entries integer not null check (entries between 1 and 1024),
  attributes_seen jsonb not null,
  primary key (brand_id, tx, id)
);

create sequence event_batch_numbers cycle minvalue 0 maxvalue 2047 cache 1;
grant usage on sequence event_batch_numbers to beckon_app, beckon_engine;
alter table event_batches enable row level security;
alter table event_batches force row level security;
create policy one_brand on event_batches to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on event_batches to beckon_engine using (true);
grant select, insert on event_batches to beckon_app;
grant select, insert, delete on event_batches to beckon_engine;

-- How far a reader of the batches has come: everything up to and including this batch. Locking the row is what makes
-- it the only reader of its kind for the brand.
create table event_readers (
  brand_id integer not null,
  reader text not null check (length(reader) between 1 and 50),
  tx xid8 not null default '0',
  batch_id bigint not null default 0,
  primary key (brand_id, reader)
) with (fillfactor = 50);

alter table event_readers enable row level security;
alter table event_readers force row level security;
create policy one_brand on event_readers to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on event_readers to beckon_engine using (true);
grant select on event_readers to beckon_app;
grant select, insert, update on event_readers to beckon_engine;

-- Callers' event ids of the last days. A repeated entry finds its id here and is not stored again.
create table event_ids (
  brand_id integer not null,
  event_id text not null check (length(event_id) between 1 and 64),
  seen_at timestamptz not null,
  primary key (brand_id, event_id)
);

create index event_ids_age on event_ids (brand_id, seen_at);
alter table event_ids enable row level security;
alter table event_ids force row level security;
create policy one_brand on event_ids to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on event_ids to beckon_engine using (true);
grant select, insert, update on event_ids to beckon_app;
grant select, insert, update, delete on event_ids to beckon_engine;

-- The type an attribute was locked to by its first stored value, and how often it came since. The event name '' holds
-- the attributes of profiles. A lock never changes and is never removed.
create table attribute_locks (
  brand_id integer not null,
  event_name text not null,
  attribute text not null check (length(attribute) between 1 and 49),
  type text not null check (type in ('string', 'number', 'boolean', 'date', 'object', 'object_array')),
  locked_at timestamptz not null,
  last_seen_at timestamptz not null,
  shown_count bigint not null default 0,
  set_aside_count bigint not null default 0,
  primary key (brand_id, event_name, attribute)
) with (fillfactor = 70);

alter table attribute_locks enable row level security;
alter table attribute_locks force row level security;
create policy one_brand on attribute_locks to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on attribute_locks to beckon_engine using (true);
grant select, insert on attribute_locks to beckon_app;
grant select, insert, update (last_seen_at, shown_count, set_aside_count) on attribute_locks to beckon_engine;

-- Every event a brand ever logged, added up by the pipeline.
create table event_names (
  brand_id integer not null,
  event_name text not null,
  event_count bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (brand_id, event_name)
) with (fillfactor = 70);

alter table event_names enable row level security;
alter table event_names force row level security;
create policy one_brand on event_names to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on event_names to beckon_engine using (true);
grant select on event_names to beckon_app;
grant select, insert, update on event_names to beckon_engine;

-- Entries that were refused, for a brand to see what it lost and why. `entry` is text: what is wrong with it may be
-- that it cannot be JSON in a database. The identifiers are what erasing a person finds it by.
create table rejected_entries (
  brand_id integer not null,
  id bigint generated always as identity,
  rejected_at timestamptz not null,
  entry_index integer not null,
  code text not null,
  field text,
  message text not null,
  entry text not null,
  identifiers text[] not null,
  primary key (brand_id, id)
);

create index rejected_entries_age on rejected_entries (brand_id, rejected_at);
alter table rejected_entries enable row level security;
alter table rejected_entries force row level security;
create policy one_brand on rejected_entries to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on rejected_entries to beckon_engine using (true);
grant select, insert on rejected_entries to beckon_app;
grant select, insert, delete on rejected_entries to beckon_engine;

-- Two profiles that were found to be one person. The identities move at once; the events follow when every
-- transaction that may still know the absorbed profile has ended (`tx`), which is when `state` becomes `moved`.
-- `before` holds what undoing needs.
create table profile_merges (
  brand_id integer not null,
  id bigint generated always as identity,
  survivor_id bigint not null,
  absorbed_id bigint not null,
  merged_at timestamptz not null,
  tx xid8 not null default pg_current_xact_id(),
  state text not null default 'moving' check (state in ('moving', 'moved', 'undone')),
  undone_at timestamptz,
  before jsonb not null,
  primary key (brand_id, id)
);

create index profile_merges_survivor on profile_merges (brand_id, survivor_id);
create index profile_merges_absorbed on profile_merges (brand_id, absorbed_id);
create index profile_merges_moving on profile_merges (brand_id, tx) where state = 'moving';
alter table profile_merges enable row level security;
alter table profile_merges force row level security;
create policy one_brand on profile_merges to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on profile_merges to beckon_engine using (true);
grant select, insert, update (survivor_id, state, undone_at) on profile_merges to beckon_app;
grant select, insert, update (survivor_id, state, undone_at, before), delete on profile_merges to beckon_engine;

-- Profiles that are being erased. The profile and its names are gone when the row appears; its events and whatever
-- else it left behind are deleted when no open transaction can add to them (`tx`), and then the row is deleted too,
-- with the names and devices it remembers for that.
create table erasures (
  brand_id integer not null,
  profile_id bigint not null,
  asked_at timestamptz not null,
  identifiers text[] not null,
  subscription_ids bigint[] not null,
  tx xid8 not null default pg_current_xact_id(),
  primary key (brand_id, profile_id)
);

alter table erasures enable row level security;
alter table erasures force row level security;
create policy one_brand on erasures to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on erasures to beckon_engine using (true);
grant select, insert on erasures to beckon_app;
grant select, insert, delete on erasures to beckon_engine;
