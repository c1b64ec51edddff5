-- The schema of a new database. Nothing is released yet, so a change of the schema is made here, in place; from the
-- first release on this file stays as it is and every change is a migration of its own.
--
-- One transaction runs this file, as the owner of the database. The roles beckon_app, beckon_engine and beckon_team
-- exist by then (roles.ts). None of them owns a table. beckon_app serves requests and sees one brand: the one in the
-- setting beckon.brand_id. beckon_engine does the work for all brands. beckon_team signs members in. Row-level security
-- is forced, so the owner sees no row either. `isolate_brands`, called at the end of this file, puts it on every table
-- with a brand_id; the grants stand beside their table. test/tidy/schema.test.ts reads the catalogue and finds a table
-- that was left out.
--
-- Only the first tables point at brands with a foreign key. The check of such a key locks the brand's row once for
-- every row that is written, which is too dear for tables that grow with the traffic; and the purge of a deleted
-- brand finds its tables in the catalogue (brand/purge.ts).

create table schema_migrations (
  version integer primary key,
  name text not null,
  sha256 bytea not null,
  applied_at timestamptz not null default now()
);

grant select on schema_migrations to beckon_app, beckon_engine;

-- btree_gin lets the brand lead an index over tags. It has a schema of its own, because everybody may call the
-- functions of an extension.
create schema extensions;
create extension btree_gin with schema extensions;

-- Brand: the tenants, their keys and secrets, idempotency, rate limits.

-- A brand with `deleted_at` is stopped: nobody calls and nothing is sent. Until `restorable_until` it can be restored.
-- Then, or at once when the operator says so, `restorable_until` becomes null, and the row stays, under a name that no
-- caller can send, until the purge has removed all other rows of the brand. `emptied_at` is the moment since which the
-- purge found no such row. `has_opt_outs`: a person or a device
-- has opted out of something at some time.
create table brands (
  id integer generated always as identity primary key,
  external_id text not null unique check (length(external_id) between 1 and 100),
  name text not null check (length(name) between 1 and 200),
  time_zone text not null default 'UTC',
  profile_merging boolean not null default false,
  allowed_origins text[] not null default '{}',
  identity_verification boolean not null default true,
  frequency_cap integer check (frequency_cap between 1 and 100),
  default_sound text check (length(default_sound) between 1 and 255),
  language text check (length(language) between 2 and 64),
  control_percent integer not null default 0 check (control_percent between 0 and 20),
  quiet_hours jsonb,
  has_opt_outs boolean not null default false,
  approval_above integer check (approval_above between 0 and 1000000000),
  created_at timestamptz not null,
  deleted_at timestamptz,
  restorable_until timestamptz,
  emptied_at timestamptz,
  check (restorable_until is null or deleted_at is not null)
);

-- Every claim of something to send asks for the brands that are stopped.
create index brands_stopped on brands (id) where deleted_at is not null;

grant select, update (name, time_zone, profile_merging, allowed_origins, identity_verification, frequency_cap,
    default_sound, language, control_percent, quiet_hours, has_opt_outs, approval_above)
  on brands to beckon_app;
grant select, insert, delete, update (external_id, name, time_zone, profile_merging, allowed_origins,
    identity_verification, frequency_cap, default_sound, language, control_percent, quiet_hours, has_opt_outs,
    approval_above, deleted_at, restorable_until, emptied_at)
  on brands to beckon_engine;

-- The kinds of messages that a person can opt out of. The topic `transactional` has no row: every brand has it.
create table topics (
  brand_id integer not null,
  name text not null check (length(name) between 1 and 50),
  title text not null check (length(title) between 1 and 100),
  description text not null check (length(description) <= 500),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  primary key (brand_id, name)
);

grant select, insert, update (title, description, updated_at, archived_at) on topics to beckon_app;
grant select, insert, update, delete on topics to beckon_engine;

-- The newest number of a kind of row in a brand. Callers see these numbers as ids, and numbers that all brands shared
-- would tell one brand how busy the others are.
create table brand_counters (
  brand_id integer not null,
  counter text not null,
  newest bigint not null,
  primary key (brand_id, counter)
);

grant select, insert, update on brand_counters to beckon_app;
grant select, insert, update, delete on brand_counters to beckon_engine;

-- Numbers a new row within its brand, unless it brings its own id. Callers may choose the ids of segments, so a number
-- that is taken is passed over; the search walks the primary key.
create function number_in_brand() returns trigger language plpgsql as $body$
declare
  given bigint;
begin
  if new.id is not null then return new; end if;
  insert into brand_counters as counters (brand_id, counter, newest) values (new.brand_id, tg_table_name, 1)
  on conflict (brand_id, counter) do update set newest = counters.newest + 1
  returning newest into given;
  if tg_table_name = 'segments' and exists (select from segments where brand_id = new.brand_id and id = given) then
    select taken.id + 1 into given from segments as taken
    where taken.brand_id = new.brand_id and taken.id >= given
      and not exists (select from segments as next where next.brand_id = new.brand_id and next.id = taken.id + 1)
    order by taken.id limit 1;
    update brand_counters set newest = given where brand_id = new.brand_id and counter = tg_table_name;
  end if;
  new.id := given;
  return new;
end
$body$;

revoke execute on function number_in_brand from public;

-- A key is stored as its SHA-256. Only the engine reads the hash, because a key arrives before its brand is known.
create table api_keys (
  brand_id integer not null references brands (id),
  id integer not null,
  kind text not null check (kind in ('secret', 'publishable')),
  hash bytea not null unique check (length(hash) = 32),
  hint text not null,
  scopes text[] not null,
  label text not null check (length(label) <= 200),
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (brand_id, id)
);

create trigger api_keys_number before insert on api_keys for each row execute function number_in_brand();
grant select (brand_id, id, kind, hint, scopes, label, created_at, revoked_at), insert, update (revoked_at)
  on api_keys to beckon_app;
grant select, insert, update (revoked_at), delete on api_keys to beckon_engine;

-- Credentials of channels and webhooks, encrypted by runtime/secrets/sealed.ts. The ciphertext ends with its GCM tag.
create table sealed_secrets (
  brand_id integer not null references brands (id),
  kind text not null check (length(kind) between 1 and 100),
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  updated_at timestamptz not null,
  primary key (brand_id, kind)
);

grant select, insert, update, delete on sealed_secrets to beckon_app, beckon_engine;

-- The reply to a request that carried an Idempotency-Key, byte for byte. Rows live for a day. A reply about a device
-- or a person has their internal ids, so that erasing the person finds it.
create table idempotency_keys (
  brand_id integer not null,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  reply json not null,
  created_at timestamptz not null,
  subscription_id bigint,
  profile_id bigint,
  primary key (brand_id, key)
);

create index idempotency_keys_age on idempotency_keys (brand_id, created_at);
create index idempotency_keys_device on idempotency_keys (brand_id, subscription_id) where subscription_id is not null;
create index idempotency_keys_profile on idempotency_keys (brand_id, profile_id) where profile_id is not null;
grant select, insert, update, delete on idempotency_keys to beckon_app;
grant select, insert, update, delete on idempotency_keys to beckon_engine;

-- One row for each thing that is rate limited. The lock of this row makes the window exact. `used` is the sum of the
-- bucket's rows in rate_hits.
create table rate_buckets (
  brand_id integer not null,
  bucket text not null check (length(bucket) between 1 and 200),
  used integer not null default 0 check (used >= 0),
  expires_at timestamptz not null,
  primary key (brand_id, bucket)
);

grant select, insert, update, delete on rate_buckets to beckon_engine;

create table rate_hits (
  brand_id integer not null,
  bucket text not null,
  at timestamptz not null,
  hits integer not null check (hits > 0),
  primary key (brand_id, bucket, at)
);

grant select, insert, update, delete on rate_hits to beckon_engine;

-- Takes up to `wanted` hits in a bucket that admits `hits_max` in any window of the given length. The bucket's row is
-- locked before the clock is read and the hits are counted, so callers in all processes pass one by one. A hit from
-- the future means that the clock was set back: the hit counts as made now, which never admits too many and delays
-- callers by one window at most. The function must be called alone: it lets its whole transaction skip the wait for
-- the disk.
create function take_hits(
  of_brand integer, of_bucket text, wanted integer, hits_max integer, window_length interval, given_now timestamptz
) returns table (granted integer, remaining integer, frees_in_ms integer)
language plpgsql as $body$
declare
  moment timestamptz;
  spent integer;
  expired integer;
  early integer;
  next_free timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);

  for attempt in 1..10 loop
    select used into spent from rate_buckets where brand_id = of_brand and bucket = of_bucket for update;
    exit when found;
    insert into rate_buckets (brand_id, bucket, expires_at)
    values (of_brand, of_bucket, coalesce(given_now, clock_timestamp()) + window_length)
    on conflict do nothing;
  end loop;
  moment := coalesce(given_now, clock_timestamp());

  with gone as (
    delete from rate_hits
    where brand_id = of_brand and bucket = of_bucket and at <= moment - window_length
    returning hits
  )
  select coalesce(sum(hits), 0) into expired from gone;

  with ahead as (
    delete from rate_hits where brand_id = of_brand and bucket = of_bucket and at > moment returning hits
  )
  select coalesce(sum(hits), 0) into early from ahead;

  granted := greatest(0, least(wanted, hits_max - (spent - expired)));
  if granted + early > 0 then
    insert into rate_hits as kept (brand_id, bucket, at, hits)
    values (of_brand, of_bucket, moment, granted + early)
    on conflict (brand_id, bucket, at) do update set hits = kept.hits + excluded.hits;
  end if;
  if granted + early + expired > 0 then
    update rate_buckets set used = spent - expired + granted, expires_at = moment + window_length
    where brand_id = of_brand and bucket = of_bucket;
  end if;

  spent := spent - expired + granted;
  remaining := greatest(0, hits_max - spent);
  -- The oldest hit frees the next place; only a limit that was lowered has to wait for more than one to leave.
  if spent <= hits_max then
    select min(at) into next_free from rate_hits where brand_id = of_brand and bucket = of_bucket;
  else
    select at into next_free from (
      select at, sum(hits) over (order by at) as leaving
      from rate_hits where brand_id = of_brand and bucket = of_bucket
    ) as queue
    where leaving > spent - hits_max
    order by at limit 1;
  end if;
  frees_in_ms := ceil(1000 * extract(epoch from coalesce(next_free, moment) + window_length - moment));
  return next;
end
$body$;

revoke execute on function take_hits from public;
grant execute on function take_hits to beckon_engine;

-- People: profiles, their identities, their activity, merges and erasures.

-- A text as searches compare it: without case. PostgreSQL folds it and no other program does, so that the index, the
-- rows of a bulk write and the text of a search always agree. The fold is that of Unicode, which also makes ß and SS
-- equal, with one addition: the four letters i of Turkish, with and without their dot, are one letter, because Unicode
-- alone folds I to i and leaves its Turkish small form ı another letter. Compare the result in collation "C".
create function fold_text(given text) returns text
language sql immutable strict parallel safe
return replace(casefold(translate(given, 'İı', 'ii') collate pg_unicode_fast), U&'i\0307', 'i');

revoke execute on function fold_text from public;
grant execute on function fold_text to beckon_app, beckon_engine;

-- One row for each living person: a profile that was merged into another, or erased, has no row. `mistyped` has the
-- attribute values whose type is not the locked one; they are stored and never shown. The id is `by default` and not
-- `always`, because undoing a merge brings a profile back under its old id. `opt_outs` has the topics that the person
-- opted out of, each with its instant; `*` is everything but transactional messages.
create table profiles (
  brand_id integer not null,
  id bigint generated by default as identity,
  email text check (length(email) between 3 and 254),
  mobile text check (length(mobile) between 3 and 16),
  attributes jsonb not null default '{}',
  mistyped jsonb,
  tags text[] not null default '{}',
  opt_outs jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (brand_id, id)
);

-- A notification looks up the few people who opted out of its topic.
create index profiles_opt_outs on profiles (brand_id, id) where opt_outs <> '{}';
-- A segment looks up tags of people too. Most people have none, and are not in the index.
create index profiles_tags on profiles using gin (brand_id, tags) where tags <> '{}';
-- A search looks for people by the first letters of an identifier, in any case. Email and mobile are identities only
-- while the brand merges profiles, so they have indexes of their own.
create index profiles_email on profiles (brand_id, (fold_text(email) collate "C"), id) where email is not null;
create index profiles_mobile on profiles (brand_id, (fold_text(mobile) collate "C"), id) where mobile is not null;
grant select, insert, update, delete on profiles to beckon_app, beckon_engine;
-- The identity of a new profile is written before the profile, so the profile's id is drawn from the sequence first.
grant usage on sequence profiles_id_seq to beckon_app, beckon_engine;

-- The names that find a profile. A merged person has several user ids. Email and mobile are here only while the brand
-- merges profiles. Every logged event is looked up here, so the key includes everything the lookup needs: the
-- creation time of the profile is a copy, and a statement that moves an identity to another profile writes both
-- columns. `is_proved` tells a browser that showed the signature of its user id.
create table profile_identities (
  brand_id integer not null,
  kind text not null check (kind in ('user_id', 'email', 'mobile', 'visitor')),
  value text not null check (length(value) between 1 and 254),
  profile_id bigint not null,
  profile_created_at timestamptz not null,
  is_proved boolean not null default false,
  primary key (brand_id, kind, value) include (profile_id, profile_created_at),
  foreign key (brand_id, profile_id) references profiles (brand_id, id) on delete cascade
);

create index profile_identities_profile on profile_identities (brand_id, profile_id);
create index profile_identities_search on profile_identities (brand_id, (fold_text(value) collate "C"), profile_id);
grant select, insert, update, delete on profile_identities to beckon_app, beckon_engine;

-- The sum of a profile's events. The pipeline counts them a moment after they are stored. It is a table of its own,
-- so that counting never waits for an edit of the profile, nor an edit for counting. `active_quarters` are the newest
-- quarter hours, counted from 1970, in which the person did something, in no order, and some of them twice; decision 0018
-- has the arithmetic.
create table profile_activity (
  brand_id integer not null,
  profile_id bigint not null,
  event_count bigint not null check (event_count > 0),
  first_event_at timestamptz not null,
  last_event_at timestamptz not null,
  ltv numeric not null,
  active_quarters integer[] not null default '{}' check (cardinality(active_quarters) <= 400),
  primary key (brand_id, profile_id)
) with (fillfactor = 80);

grant select on profile_activity to beckon_app;
grant select, insert, update, delete on profile_activity to beckon_engine;

-- The sum of a profile's events by event name; segments count with it.
create table profile_event_counters (
  brand_id integer not null,
  profile_id bigint not null,
  event_name text not null,
  event_count bigint not null check (event_count > 0),
  first_event_at timestamptz not null,
  last_event_at timestamptz not null,
  primary key (brand_id, profile_id, event_name)
) with (fillfactor = 80);

-- A segment asks which people did an event. No update changes a column of this index.
create index profile_event_counters_event on profile_event_counters (brand_id, event_name);
grant select on profile_event_counters to beckon_app;
grant select, insert, update, delete on profile_event_counters to beckon_engine;

-- How many events a brand had in each quarter hour, counted from 1970, of the last weeks.
create table brand_quarters (
  brand_id integer not null,
  quarter integer not null,
  event_count bigint not null,
  primary key (brand_id, quarter)
) with (fillfactor = 50);

grant select on brand_quarters to beckon_app;
grant select, insert, update, delete on brand_quarters to beckon_engine;

-- Two profiles that turned out to be one person. The identities move in the transaction of the merge. The events move
-- later, when every transaction that may still write to the absorbed profile has ended; `state` is `moved` from then
-- on. Such a transaction has a number below `fence`: the next free number when the pipeline first saw the merge.
-- `before` is what an undo needs.
create table profile_merges (
  brand_id integer not null,
  id bigint not null,
  survivor_id bigint not null,
  absorbed_id bigint not null,
  merged_at timestamptz not null,
  fence xid8,
  state text not null default 'moving' check (state in ('moving', 'moved', 'undone')),
  undone_at timestamptz,
  before jsonb not null,
  primary key (brand_id, id)
);

create trigger profile_merges_number before insert on profile_merges
  for each row execute function number_in_brand();
create index profile_merges_survivor on profile_merges (brand_id, survivor_id);
create index profile_merges_absorbed on profile_merges (brand_id, absorbed_id);
create index profile_merges_moving on profile_merges (brand_id, fence) where state = 'moving';
grant select, insert, update (survivor_id, state, undone_at), delete on profile_merges to beckon_app;
grant select, insert, update (survivor_id, state, undone_at, before, fence), delete on profile_merges to beckon_engine;

-- Profiles that are being erased. The profile, its identities and its devices are deleted in the transaction that
-- writes this row. Events and other traces are deleted when no open transaction can add to them (`fence`); the row
-- remembers the identifiers and devices for that and is deleted last. `subscription_names` are the ids that callers
-- see.
create table erasures (
  brand_id integer not null,
  profile_id bigint not null,
  asked_at timestamptz not null,
  identifiers text[] not null,
  subscription_ids bigint[] not null,
  subscription_names text[] not null,
  fence xid8,
  primary key (brand_id, profile_id)
);

grant select, insert on erasures to beckon_app;
grant select, insert, update (fence), delete on erasures to beckon_engine;

-- Subscriptions: devices and browsers that can be pushed to.

-- `id` only ever rises, so a range of ids is a fixed part of an audience. Callers see `subscription_id` instead.
-- `address` is a token or a push endpoint; it is looked up by its SHA-256. `is_unproved`: a browser brought it that did
-- not prove its person. `opt_outs` are those of the device, beside the person's.
create table subscriptions (
  brand_id integer not null,
  id bigint generated by default as identity,
  subscription_id text not null check (length(subscription_id) between 1 and 100),
  platform text not null check (platform in ('android', 'ios', 'web')),
  address text not null check (length(address) between 1 and 4096),
  address_hash bytea not null check (length(address_hash) = 32),
  device_id text check (length(device_id) between 1 and 255),
  profile_id bigint,
  is_unproved boolean not null default false,
  web_p256dh text,
  web_auth text,
  vapid_key_id text,
  environment text check (environment in ('production', 'sandbox')),
  tags text[] not null default '{}',
  time_zone text,
  language text,
  browser text,
  app_version text,
  opt_outs jsonb not null default '{}',
  -- A device that the dashboard draws: its messages go to the sandbox, and audiences leave it out.
  is_virtual boolean not null default false,
  virtual_kind text check (virtual_kind in ('android', 'iphone', 'chrome', 'firefox')),
  virtual_name text check (length(virtual_name) between 1 and 100),
  state text not null default 'live' check (state in ('live', 'unsubscribed', 'gone')),
  state_reason text,
  state_since timestamptz not null,
  created_at timestamptz not null,
  registered_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (brand_id, id),
  foreign key (brand_id, profile_id) references profiles (brand_id, id) on delete cascade,
  check (platform <> 'web' or (web_p256dh is not null and web_auth is not null)),
  check (is_virtual = (virtual_kind is not null) and is_virtual = (virtual_name is not null))
) with (fillfactor = 90);

create unique index subscriptions_public_id on subscriptions (brand_id, subscription_id);
create unique index subscriptions_address on subscriptions (brand_id, platform, address_hash);
create unique index subscriptions_device on subscriptions (brand_id, platform, device_id) where device_id is not null;
create index subscriptions_profile on subscriptions (brand_id, profile_id) where profile_id is not null;
-- Audiences are counted and cut into chunks from this index alone.
create index subscriptions_live on subscriptions (brand_id, platform, id) include (time_zone, is_virtual) where state = 'live';
-- For the few that a wrong setting has retired lately, and that are made live again.
create index subscriptions_gone on subscriptions (brand_id, platform, state_since) where state = 'gone';
create index subscriptions_virtual on subscriptions (brand_id, id) where is_virtual;
create index subscriptions_opt_outs on subscriptions (brand_id, id) where opt_outs <> '{}';
create index subscriptions_tags on subscriptions using gin (brand_id, tags) where state = 'live';
grant select, insert, update, delete on subscriptions to beckon_app, beckon_engine;

-- Segments.

-- A saved filter. A caller may give the id, for segments that come from another service under an id that callers
-- know.
create table segments (
  brand_id integer not null,
  id bigint not null,
  name text not null check (length(name) between 1 and 200),
  filter jsonb not null,
  filter_version integer not null default 1,
  size integer,
  sized_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  primary key (brand_id, id)
);

create trigger segments_number before insert on segments for each row execute function number_in_brand();
grant select, insert, update on segments to beckon_app;
grant select, insert, update, delete on segments to beckon_engine;

-- The size of a segment, once a day. A worker inserts the row when it begins to count and sets `size` when it is
-- done. A count that is not done within minutes is begun again by another worker.
create table segment_sizes (
  brand_id integer not null,
  segment_id bigint not null,
  day date not null,
  begun_at timestamptz not null,
  size integer check (size >= 0),
  primary key (brand_id, segment_id, day)
);

grant select on segment_sizes to beckon_app;
grant select, insert, update, delete on segment_sizes to beckon_engine;

-- Push: channels, notifications, chunks, deliveries, receipts. Decision 0005 has the reasoning.

-- A brand's credential for one platform. `facts` is the part that may be read back; the credential itself is in
-- sealed_secrets, and `version` rises with every change of it. A paused channel sends nothing until `retry_at`, and
-- then a little, to see whether the credential works again. A failing channel accepts no message for the present, and
-- tries all of them again; `failing_at` is its latest failure. `refused_hosts` are push services that refuse the
-- credential while others accept it: the newest few, as {host, reason, since, at}.
create table channels (
  brand_id integer not null,
  platform text not null check (platform in ('android', 'ios', 'web')),
  facts jsonb not null,
  version integer not null default 1,
  updated_at timestamptz not null,
  paused_reason text,
  paused_since timestamptz,
  retry_at timestamptz,
  failing_reason text,
  failing_since timestamptz,
  failing_at timestamptz,
  refused_hosts jsonb not null default '[]',
  primary key (brand_id, platform),
  check ((paused_reason is null) = (paused_since is null)),
  check ((paused_reason is null) = (retry_at is null)),
  check ((failing_reason is null) = (failing_since is null)),
  check ((failing_reason is null) = (failing_at is null))
);

create index channels_paused on channels (brand_id) where paused_reason is not null;
grant select, insert, update, delete on channels to beckon_app, beckon_engine;

-- The devices that a channel may still retire before an accepted message proves that it works: one row for the channel,
-- with an empty host, and one for each push host. All workers draw on them, and a row that is missing is a full budget.
-- Until `off_until` the brake is off, because the brand said that the devices are dead.
create table brake_budgets (
  brand_id integer not null,
  platform text not null check (platform in ('android', 'ios', 'web')),
  host text not null,
  version integer not null,
  devices_left real not null,
  blamed_at timestamptz not null,
  off_until timestamptz,
  primary key (brand_id, platform, host)
);

grant select, insert, update, delete on brake_budgets to beckon_app, beckon_engine;

-- Tokens that prove to a provider who we are, shared by all processes, because APNs refuses a sender that makes new
-- ones too often. A token belongs to a credential, which two brands may share, and so to no brand. Tokens are sealed
-- like every secret; the hash tells whether the stored token is still the one that a process wants to replace.
create table provider_tokens (
  name text primary key,
  value_hash bytea not null,
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  minted_at timestamptz not null,
  renew_at timestamptz not null,
  expires_at timestamptz not null
);

grant select, insert, update, delete on provider_tokens to beckon_engine;

-- One accepted request to notify. `id` is ours, `caller_notification_id` the one that the caller gave. `plan_at` is
-- when the planner looks at the notification next; it is null when the whole audience is cut into chunks. A
-- notification that goes out at a time of day in each subscriber's zone has that time in `wall`; it is planned zone
-- by zone, and zones whose time came before `zones_until` are planned. One that each person gets at their own hour has
-- the end of these hours in `best_hour_until`; its audience is cut once, into chunks that become ready hour by hour.
-- `accepted`, `failed`, `expired`, `cancelled`
-- and `pending` always add up to the audience. `throttled_until` is the end of the time that a throttled notification
-- has already given out to workers. `event` has the attributes of the event that started the journey that sends this.
-- A notification to one subscriber has `profile_id`, the person, and goes to the devices that the person has by then;
-- one that was addressed to a device has `subscription_ids` too, with the device alone, and `profile_id` is only the
-- device's person at the time of acceptance.
--
-- A notification of a campaign has `campaign_id`, and its audience is narrowed by more than a segment: `filter` is a
-- filter as callers write one, `has_user_list` takes the people of campaign_users, `except_campaign_id` leaves out the
-- people who got that campaign, and `is_latest_only` takes only the device that a person used last, over all
-- platforms. `is_test` marks a test send to chosen people, which the campaign does not count. `trial` is how a campaign divides its
-- people, if it does or if it counts them (domain/campaigns/trial.ts). `step` is the step of
-- the journey that sends this.
create table notifications (
  brand_id integer not null,
  id uuid not null,
  platform text not null,
  mode text not null,
  caller_notification_id bigint,
  content jsonb not null,
  alternatives jsonb,
  profile_id bigint,
  subscription_ids bigint[] check (cardinality(subscription_ids) <= 1),
  segment_id bigint,
  tag text,
  topic text,
  wall text,
  best_hour_until timestamptz,
  per_second real check (per_second > 0),
  hand_over_seconds integer not null,
  state text not null check (state in ('scheduled', 'queued', 'sending', 'sent', 'cancelled', 'failed')),
  reason text,
  send_at timestamptz not null,
  expires_at timestamptz not null,
  plan_at timestamptz,
  zones_until timestamptz,
  audience integer,
  accepted integer not null default 0,
  failed integer not null default 0,
  expired integer not null default 0,
  cancelled integer not null default 0,
  pending integer not null default 0 check (pending >= 0),
  texts_cut integer not null default 0,
  throttled_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  journey_id bigint,
  event jsonb,
  is_capped boolean not null default false,
  step text,
  campaign_id bigint,
  filter jsonb,
  has_user_list boolean not null default false,
  except_campaign_id bigint,
  is_latest_only boolean not null default false,
  reaches_virtual boolean not null default false,
  is_test boolean not null default false,
  trial jsonb,
  template_id bigint,
  template_version integer,
  primary key (brand_id, id),
  check (coalesce(audience, 0) = accepted + failed + expired + cancelled + pending)
) with (fillfactor = 70);

create index notifications_state on notifications (brand_id, state, id);
-- The list of broadcasts, of which a brand has few beside its sends to one person.
create index notifications_broadcasts on notifications (brand_id, id) where mode <> 'send';
-- Merging and erasing look for the notifications that were sent to one person.
create index notifications_profile on notifications (brand_id, profile_id) where profile_id is not null;
create index notifications_device on notifications (brand_id, (subscription_ids[1]))
  where subscription_ids[1] is not null;
create index notifications_campaign on notifications (brand_id, campaign_id) where campaign_id is not null;
-- The planner asks many times a second for what is due next, in all brands.
create index notifications_due_sends on notifications (plan_at)
  where plan_at is not null and mode = 'send' and wall is null;
create index notifications_due_plans on notifications (plan_at)
  where plan_at is not null and (mode <> 'send' or wall is not null);
grant select, insert, update on notifications to beckon_app;
grant select, insert, update, delete on notifications to beckon_engine;

-- A part of an audience that one worker handles at a time: a range of subscription ids, or the listed ones. The row
-- is deleted when nothing of it remains. A worker may claim the chunk from `ready_at` on; a claim sets `leased_until`, the
-- end of its lease, and raises `claims`, so that a worker that lost its lease can write nothing more. The
-- `pending` of a notification that is planned is the sum of its chunks' `remaining`. `attempt` counts the attempts at its
-- recipients, and `unknowns` those whose outcome nobody knows.
create table chunks (
  brand_id integer not null,
  id bigint generated by default as identity,
  platform text not null,
  notification_id uuid not null,
  first_id bigint not null,
  last_id bigint not null,
  subscription_ids bigint[],
  zone text,
  attempt integer not null default 1 check (attempt > 0),
  unknowns integer not null default 0 check (unknowns >= 0),
  remaining integer not null check (remaining >= 0),
  is_bulk boolean not null,
  ready_at timestamptz not null,
  expires_at timestamptz not null,
  claims integer not null default 0,
  leased_by text,
  leased_until timestamptz,
  primary key (brand_id, id),
  check ((leased_by is null) = (leased_until is null))
) with (fillfactor = 50);

-- No index has a column that a claim changes, and half of each page is free: a claim then writes a new version of the
-- row beside the old one, and no index entry.
create index chunks_ready on chunks (brand_id, platform, is_bulk, ready_at);
create index chunks_notification on chunks (brand_id, notification_id);
create index chunks_expiry on chunks (expires_at);
grant select, insert, update, delete on chunks to beckon_app, beckon_engine;

-- The outcome of one notification for one subscription. A subscription that was never tried has no row; one in the
-- state `retrying` is in a later chunk. Rows are written in bulk, so no foreign key is checked.
create table deliveries (
  brand_id integer not null,
  notification_id uuid not null,
  subscription_id bigint not null,
  state text not null check (state in ('retrying', 'accepted', 'failed', 'expired', 'cancelled')),
  reason text,
  attempt integer not null,
  at timestamptz not null,
  language text,
  variant smallint,
  -- The quiet hours or the frequency cap that kept the message back, as they were then; null for all others.
  seen jsonb,
  primary key (brand_id, notification_id, subscription_id)
);

-- The time line of a person reads the deliveries of a device, newest first.
create index deliveries_device on deliveries (brand_id, subscription_id, at);
create index deliveries_troubled on deliveries (brand_id, notification_id, subscription_id) where state <> 'accepted';
grant select, insert, update on deliveries to beckon_app;
grant select, insert, update, delete on deliveries to beckon_engine;

-- Reports of devices about a delivery; each kind counts once.
create table receipts (
  brand_id integer not null,
  notification_id uuid not null,
  subscription_id bigint not null,
  kind text not null check (kind in ('received', 'clicked', 'dismissed', 'button')),
  button integer check (button in (1, 2)),
  at timestamptz not null,
  primary key (brand_id, notification_id, subscription_id, kind)
);

create index receipts_subscription on receipts (brand_id, subscription_id, at);
grant select, insert on receipts to beckon_app;
grant select, insert, delete on receipts to beckon_engine;

-- The notifications under the frequency cap that a person was given on a day of their own zone. A device without a
-- person counts as a person, with its id made negative. The lock of the row keeps the count exact.
create table frequency_days (
  brand_id integer not null,
  profile_id bigint not null,
  day date not null,
  notification_ids uuid[] not null,
  primary key (brand_id, profile_id, day)
) with (fillfactor = 80);

create index frequency_days_age on frequency_days (brand_id, day);
grant select on frequency_days to beckon_app;
grant select, insert, update, delete on frequency_days to beckon_engine;

-- While this table has its one row, nothing leaves, in any brand: every statement that claims something to send, to a
-- device or to a webhook, finds nothing. The row outlives every process and binds all of them (docs/operating.md).
create table sending_hold (
  is_held boolean primary key default true check (is_held),
  since timestamptz not null
);

grant select, insert, delete on sending_hold to beckon_engine;

-- The latest time of the database's clock that a worker has seen, in one row. A clock that shows less was set back.
create table delivery_clock (
  is_only boolean primary key default true check (is_only),
  seen_at timestamptz not null
);

grant select, insert, update on delivery_clock to beckon_engine;

-- For each connection, the number of its last transaction that wrote something, written by that transaction. A process that
-- lost the answer to a commit asks here what became of it (store/connection/commit-marks.ts). The fence stops a
-- transaction that is still on its way: its mark would break the check.
create table commit_marks (
  session uuid primary key,
  serial bigint not null,
  is_fenced boolean not null default false,
  marked_at timestamptz not null default clock_timestamp(),
  check (not is_fenced or serial = 0)
) with (fillfactor = 50);

grant select, insert, update on commit_marks to beckon_app, beckon_team;
grant select, insert, update, delete on commit_marks to beckon_engine;

-- Leases up to `wanted` chunks that are ready. Small chunks go first; then channels take turns: the channel with the
-- fewest chunks in work is next, and chance decides between equals. Chunks in work have been ready for longest, so they
-- are counted among the first that are ready. A worker takes at most `each` chunks of a channel,
-- and of the `listed` channels at most as many as it still has room for: a channel whose provider does not answer
-- waits for itself. `turn` steps from channel to channel through the index, so a million waiting chunks of one channel
-- cost one step. More chunks are chosen than wanted, because another worker may have locked the first of them at this
-- moment. Whether a lease has run out is decided by `lease_now`, a time of the worker that does not jump when the
-- database's clock is set forward: until their next renewal, all leases would seem to have run out.
-- This is a function because it is called many times a second on a table that is empty one moment and large the next.
-- Its plan is made once and must be good for both, so it may only step through indexes. The chosen rows are found again
-- by their place in the table: by brand_id and id, a plan that was made while the table was empty may take any index
-- that begins with the brand, and read all chunks of the brand for each of them.
create function claim_chunks(
  of_worker text, wanted integer, lease_length interval, with_small boolean, with_bulk boolean, given_now timestamptz,
  lease_now timestamptz, each integer, listed_brands integer[], listed_platforms text[], listed_rooms integer[]
) returns setof chunks
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
declare
  moment timestamptz := coalesce(given_now, clock_timestamp());
  lapsed timestamptz := least(moment, lease_now);
  stopped integer[] := array(select id from brands where deleted_at is not null);
begin
  return query
  with recursive turn (brand_id, platform) as (
    (select c.brand_id, c.platform from chunks as c order by c.brand_id, c.platform limit 1)
    union all
    select next.brand_id, next.platform from turn cross join lateral (
      select c.brand_id, c.platform from chunks as c
      where (c.brand_id, c.platform) > (turn.brand_id, turn.platform) order by c.brand_id, c.platform limit 1
    ) as next
  ), ready as (
    select found.at, found.is_bulk,
      busy.count + row_number() over (partition by turn.brand_id, turn.platform, found.is_bulk order by found.ready_at)
        as place
    from turn
    cross join lateral (
      select coalesce((
        select listed.room from unnest(listed_brands, listed_platforms, listed_rooms) as listed (brand_id, platform, room)
        where listed.brand_id = turn.brand_id and listed.platform = turn.platform
      ), each) as room
      where turn.brand_id <> all (stopped)
    ) as own
    cross join lateral (
      select count(*) from (
        (select c.leased_until from chunks as c
         where own.room > 0 and with_small and c.brand_id = turn.brand_id and c.platform = turn.platform
           and not c.is_bulk and c.ready_at <= moment
         order by c.ready_at limit 500)
        union all
        (select c.leased_until from chunks as c
         where own.room > 0 and with_bulk and c.brand_id = turn.brand_id and c.platform = turn.platform
           and c.is_bulk and c.ready_at <= moment
         order by c.ready_at limit 100)
      ) as first
      where first.leased_until > moment
    ) as busy
    cross join lateral (
      select * from (
        (select c.ctid as at, c.is_bulk, c.ready_at from chunks as c
         where c.brand_id = turn.brand_id and c.platform = turn.platform and not c.is_bulk and with_small
           and c.ready_at <= moment and c.expires_at > moment
           and (c.leased_until is null or c.leased_until <= lapsed)
         order by c.ready_at limit own.room)
        union all
        (select c.ctid as at, c.is_bulk, c.ready_at from chunks as c
         where c.brand_id = turn.brand_id and c.platform = turn.platform and c.is_bulk and with_bulk
           and c.ready_at <= moment and c.expires_at > moment
           and (c.leased_until is null or c.leased_until <= lapsed)
         order by c.ready_at limit own.room)
      ) as of_channel
      order by of_channel.is_bulk, of_channel.ready_at limit own.room
    ) as found
  ), chosen as (
    select r.at, r.is_bulk, r.place, random() as chance from ready as r
    order by r.is_bulk, r.place, chance limit wanted * 4
  ), taken as (
    select locked.at from (select * from chosen order by is_bulk, place, chance) as chosen
    cross join lateral (
      select c.ctid as at from chunks as c
      where c.ctid = chosen.at and c.ready_at <= moment
        and (c.leased_until is null or c.leased_until <= lapsed)
      for update skip locked
    ) as locked
    limit wanted
  )
  update chunks as c set claims = c.claims + 1, leased_by = of_worker, leased_until = moment + lease_length
  from taken where c.ctid = taken.at
  returning c.*;
end
$body$;

revoke execute on function claim_chunks from public;
grant execute on function claim_chunks to beckon_engine;

-- Events.

-- One stored event. `id` begins with the moment of receipt: milliseconds, then 11 bits of the batch's number, then 10
-- bits of the position in the batch. So ids rise with time and a range of ids is a span of time. The table is divided
-- along them into weeks, which a loop makes ahead and retention drops. `event_at` is when the event happened.
-- `event_id` is the caller's own id. `is_from_browser` tells events that a publishable key brought. `mistyped` has the attribute values whose type is not the locked one. An event
-- that a merge moved keeps its first profile in `source_profile_id`. The order of the columns leaves no gaps between
-- them.
create table events (
  id bigint not null,
  profile_id bigint not null,
  event_at timestamptz not null,
  brand_id integer not null,
  is_before_creation boolean not null,
  is_from_browser boolean not null default false,
  event_name text not null,
  ltv numeric not null,
  attributes jsonb not null,
  mistyped jsonb,
  context jsonb,
  event_id text,
  source_profile_id bigint,
  primary key (brand_id, id)
) partition by range (id);

-- The partition for weeks that the loop has not made yet, so that a late loop loses no event.
create table events_default partition of events default;

create index events_profile on events (brand_id, profile_id, event_at);
create index events_name on events (brand_id, event_name, event_at) include (profile_id);
grant select, insert on events to beckon_app;
grant select, insert, update (profile_id, source_profile_id, attributes, mistyped), delete on events to beckon_engine;

-- The events that one statement stored: ids from `id` to `id` + 1023. Transactions commit in another order than they
-- begin, so readers go by `tx` and stop at the oldest transaction that may still be open; they skip nothing that way.
-- `attributes_seen` counts values by event and attribute: {"event": {"attribute": [shown, mistyped]}}.
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
grant select, insert on event_batches to beckon_app;
grant select, insert, delete on event_batches to beckon_engine;

-- The position of a reader of the batches: it has read everything up to and including this batch. The lock of the row
-- makes a worker the only reader of its kind for the brand.
create table event_readers (
  brand_id integer not null,
  reader text not null check (length(reader) between 1 and 50),
  tx xid8 not null default '0',
  batch_id bigint not null default 0,
  primary key (brand_id, reader)
) with (fillfactor = 50);

grant select on event_readers to beckon_app;
grant select, insert, update, delete on event_readers to beckon_engine;

-- Callers' event ids of the last days. An entry whose id is here already is not stored again. `source` is the browser
-- that sent the id, or '' for the brand's own servers: everybody has the key of a page, so the ids that a browser uses
-- are taken for that browser only.
create table event_ids (
  brand_id integer not null,
  source text not null check (length(source) <= 64),
  event_id text not null check (length(event_id) between 1 and 64),
  seen_at timestamptz not null,
  primary key (brand_id, source, event_id)
);

create index event_ids_age on event_ids (brand_id, seen_at);
grant select, insert, update on event_ids to beckon_app;
grant select, insert, update, delete on event_ids to beckon_engine;

-- The type that the first stored value of an attribute locked it to, and how many values came since. The event name
-- '' stands for the attributes of profiles. A provisional lock was made by a browser, or was reset: the next value of a
-- secret key replaces it.
create table attribute_locks (
  brand_id integer not null,
  event_name text not null,
  attribute text not null check (length(attribute) between 1 and 49),
  type text not null check (type in ('string', 'number', 'boolean', 'date', 'object', 'object_array')),
  is_provisional boolean not null default false,
  locked_at timestamptz not null,
  last_seen_at timestamptz not null,
  shown_count bigint not null default 0,
  mistyped_count bigint not null default 0,
  primary key (brand_id, event_name, attribute)
) with (fillfactor = 70);

grant select, insert, update (type, is_provisional, locked_at) on attribute_locks to beckon_app;
grant select, insert, update, delete on attribute_locks to beckon_engine;

-- Attributes whose lock got another type. Their stored values are sorted anew: those that do not fit the type become
-- mistyped, and mistyped ones that fit are shown. That begins when no transaction can use the type before any more
-- (`fence`), and goes on after (`swept_at`, `swept_id`).
create table retyped_attributes (
  brand_id integer not null,
  event_name text not null,
  attribute text not null,
  retyped_at timestamptz not null default clock_timestamp(),
  fence xid8,
  swept_at timestamptz,
  swept_id bigint not null default 0,
  primary key (brand_id, event_name, attribute)
);

grant select, insert, update on retyped_attributes to beckon_app;
grant select, insert, update, delete on retyped_attributes to beckon_engine;

-- Every event name that a brand ever logged, with its sums; the pipeline adds them up.
create table event_names (
  brand_id integer not null,
  event_name text not null,
  event_count bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (brand_id, event_name)
) with (fillfactor = 70);

grant select on event_names to beckon_app;
grant select, insert, update, delete on event_names to beckon_engine;

-- Entries that were refused, so that a brand can see what was lost and why. `entry` is text, because the fault may be
-- that the entry is no JSON a database can store. Erasing a person finds an entry by `identifiers`.
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
grant select, insert on rejected_entries to beckon_app;
grant select, insert, delete on rejected_entries to beckon_engine;

-- The instant that a text stands for, read as domain/values/calendar.ts reads it; null when the text is no date. A
-- text without an offset is in UTC. PostgreSQL's own reader accepts more texts, rounds fractions that we cut, and
-- knows no offset beyond 15 hours.
create function instant_in(given text) returns timestamptz
language sql stable parallel safe
return case
  when given ~ ('^[0-9]{4}-[0-9][0-9]-[0-9][0-9]( ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|T([01][0-9]|2[0-3]):[0-5][0-9]'
      || '(:[0-5][0-9]([.,][0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?$')
    and pg_input_is_valid(left(given, 10), 'date')
  then translate(substring(given from '^.{10}(?:[ T][0-9:]+(?:[.,][0-9]{1,3})?)?'), ',', '.')::timestamp at time zone 'UTC'
    - make_interval(
      hours => coalesce(substring(given from '^.{16}.*([+-][0-9][0-9])')::integer, 0),
      mins => coalesce((substring(given from '^.{16}.*([+-])[0-9][0-9]')
        || substring(given from '^.{16}.*[+-][0-9][0-9]:?([0-9][0-9])$'))::integer, 0))
end;

revoke execute on function instant_in from public;
grant execute on function instant_in to beckon_app, beckon_engine;

-- Templates (docs/templates.md).

-- A saved content of a push, under a name. `version` is the newest version.
create table templates (
  brand_id integer not null,
  id bigint not null,
  name text not null check (length(name) between 1 and 200),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  primary key (brand_id, id)
);

create trigger templates_number before insert on templates for each row execute function number_in_brand();
grant select, insert, update on templates to beckon_app;
grant select, insert, update, delete on templates to beckon_engine;

-- The content as it was written, with the names of the snippets that it renders. A version never changes: an edit makes
-- a new version. `platforms` are the platforms that the content was checked for.
create table template_versions (
  brand_id integer not null,
  template_id bigint not null,
  version integer not null,
  name text not null,
  content jsonb not null,
  platforms text[] not null,
  snippets text[] not null,
  created_at timestamptz not null,
  primary key (brand_id, template_id, version)
);

grant select, insert on template_versions to beckon_app;
grant select, insert, delete on template_versions to beckon_engine;

-- A piece of text that several templates and pushes share. `renders` are the names of the snippets that its text renders
-- itself.
create table snippets (
  brand_id integer not null,
  name text not null check (length(name) between 1 and 64),
  version integer not null default 1,
  text text not null check (length(text) between 1 and 4000),
  renders text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (brand_id, name)
);

grant select, insert, update, delete on snippets to beckon_app, beckon_engine;

-- Journeys (docs/journeys.md).

-- Events from before `active_since` do not start a journey. A journey that a segment or a date starts is scanned
-- again at `scan_at`. `scanned_until` is the time of its last scan; it is null until the first scan has stored the
-- members of the segment.
create table journeys (
  brand_id integer not null,
  id bigint not null,
  name text not null check (length(name) between 1 and 200),
  state text not null default 'draft' check (state in ('draft', 'active', 'paused', 'archived')),
  version integer not null default 1,
  active_since timestamptz,
  scan_at timestamptz,
  scanned_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (brand_id, id)
);

create trigger journeys_number before insert on journeys for each row execute function number_in_brand();
grant select, insert, update on journeys to beckon_app;
grant select, insert, update, delete on journeys to beckon_engine;

-- A journey as it was written, and the messages of its sends as they were parsed. A version never changes: an edit
-- makes a new version, and an enrolment finishes on its own. `listens` are the names of the events that concern the
-- journey. `format` is the form that the document is written in.
create table journey_versions (
  brand_id integer not null,
  journey_id bigint not null,
  version integer not null,
  format integer not null default 1,
  document jsonb not null,
  messages jsonb not null,
  listens text[] not null,
  created_at timestamptz not null,
  primary key (brand_id, journey_id, version)
);

grant select, insert on journey_versions to beckon_app;
grant select, insert, delete on journey_versions to beckon_engine;

-- One person inside a journey, or who was inside. No process keeps anything of it: `wake_at` is when a worker must
-- look again. `event` has the attributes of the event that started the enrolment; `path` the newest notes of what
-- happened.
create table enrolments (
  brand_id integer not null,
  id bigint generated by default as identity,
  journey_id bigint not null,
  version integer not null,
  profile_id bigint not null,
  state text not null check (state in ('active', 'completed', 'goal', 'exited')),
  step text,
  is_waiting boolean not null,
  step_at timestamptz not null,
  wake_at timestamptz,
  visits integer not null,
  entered_at timestamptz not null,
  event jsonb,
  path jsonb not null,
  primary key (brand_id, id),
  check ((state = 'active') = (wake_at is not null)),
  check ((state = 'active') = (step is not null))
) with (fillfactor = 70);

create index enrolments_due on enrolments (brand_id, journey_id, wake_at) where state = 'active';
-- The people at a step.
create index enrolments_step on enrolments (brand_id, journey_id, step, id) where state = 'active';
create index enrolments_person on enrolments (brand_id, profile_id, journey_id);
grant select, update (profile_id), delete on enrolments to beckon_app;
grant select, insert, update, delete on enrolments to beckon_engine;

-- Counts of what happened at each step of each version; the step '' is the journey as a whole.
create table journey_counts (
  brand_id integer not null,
  journey_id bigint not null,
  version integer not null,
  step text not null,
  did text not null,
  count bigint not null,
  primary key (brand_id, journey_id, version, step, did)
) with (fillfactor = 50);

grant select on journey_counts to beckon_app;
grant select, insert, update, delete on journey_counts to beckon_engine;

-- The members of the segment that starts a journey, as the last scan found them. The next scan compares: a new member
-- enters, a missing one has left.
create table journey_members (
  brand_id integer not null,
  journey_id bigint not null,
  profile_id bigint not null,
  primary key (brand_id, journey_id, profile_id)
);

create index journey_members_person on journey_members (brand_id, profile_id);
grant select, delete on journey_members to beckon_app;
grant select, insert, update, delete on journey_members to beckon_engine;

-- Campaigns (docs/campaigns.md).

-- One message for several platforms. `document` is the campaign as it was written, without its
-- list of people, which is in campaign_users. Launching writes one notification for each platform; their states decide
-- the campaign's state from then on. `version` rises with every change, so that two editors do not overwrite each
-- other. `created_by`, `requested_by` and `approved_by` name an API key or a member (domain/team/actor.ts). `send_at` is
-- when the first message may leave. `people` is the number of people in the audience when it was counted last, and `people_reached` the number of
-- people with an accepted message, counted when the campaign is over. `goal_event` is a copy of the
-- name in the document's goal, for the reader of events. When all is sent, the events of the time of sending are looked at
-- once more, up to `goal_swept_id`; then `goal_until` is set, the end of the goal's time. The variants of a campaign with
-- a `winner` are compared at `decide_at`, once, and `decision` is the result.
create table campaigns (
  brand_id integer not null,
  id bigint not null,
  name text not null check (length(name) between 1 and 200),
  state text not null default 'draft' check (state in ('draft', 'awaiting_approval', 'scheduled', 'sending', 'deciding',
    'sent', 'failed', 'cancelled')),
  reason text,
  version integer not null default 1,
  document jsonb not null,
  tags text[] not null default '{}',
  created_by text not null,
  requested_by text,
  requested_at timestamptz,
  approved_by text,
  approved_at timestamptz,
  launched_at timestamptz,
  send_at timestamptz,
  finished_at timestamptz,
  archived_at timestamptz,
  people integer,
  people_reached integer,
  goal_event text,
  goal_until timestamptz,
  goal_swept_id bigint not null default 0,
  decide_at timestamptz,
  decision jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (brand_id, id)
);

create index campaigns_open on campaigns (brand_id, id) where state in ('scheduled', 'sending', 'deciding');
create index campaigns_undecided on campaigns (decide_at) where decide_at is not null and decision is null;
create index campaigns_goal on campaigns (brand_id, goal_event) where goal_event is not null;
create trigger campaigns_number before insert on campaigns for each row execute function number_in_brand();
grant select, insert, update on campaigns to beckon_app;
grant select, insert, update, delete on campaigns to beckon_engine;

-- The people that a campaign lists, by the ids that callers know. A merge moves identities, so the list needs no move.
create table campaign_users (
  brand_id integer not null,
  campaign_id bigint not null,
  user_id text not null check (length(user_id) between 1 and 100),
  primary key (brand_id, campaign_id, user_id)
);

create index campaign_users_person on campaign_users (brand_id, user_id);
grant select, insert, delete on campaign_users to beckon_app;
grant select, insert, delete on campaign_users to beckon_engine;

-- Webhooks (docs/webhooks.md).

-- One address of a brand, and the types of events it asked for. Its secrets are in sealed_secrets under its id.
-- `failing_since` is the first failure after the last success; nothing is sent before `paused_until`.
create table webhook_endpoints (
  brand_id integer not null,
  id uuid not null default uuidv7(),
  url text not null check (length(url) between 1 and 2048),
  description text not null default '' check (length(description) <= 200),
  event_types text[] not null,
  batch_max integer not null default 1 check (batch_max between 1 and 100),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('asked', 'gone', 'failing', 'secret_lost')),
  failing_since timestamptz,
  paused_until timestamptz,
  primary key (brand_id, id),
  check ((disabled_at is null) = (disabled_reason is null))
);

grant select, insert, update, delete on webhook_endpoints to beckon_app;
grant select, update, delete on webhook_endpoints to beckon_engine;

-- The outbox and the log in one. The transaction that writes a fact writes one message for each endpoint that asked
-- for it. A worker may claim a message from `ready_at` on; a claim moves `ready_at` to the end of its lease and
-- raises `claims`, so that a worker that lost its lease can write nothing more. `attempts` lists the result of each
-- call. Rows are written in bulk, so there is no foreign key; the messages of a deleted endpoint are purged in steps.
create table webhook_messages (
  brand_id integer not null,
  endpoint_id uuid not null,
  id uuid not null default uuidv7(),
  event_type text not null,
  profile_id bigint,
  data jsonb not null,
  created_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempt integer not null default 0,
  attempts jsonb not null default '[]',
  ready_at timestamptz not null,
  claims integer not null default 0,
  leased_by text,
  settled_at timestamptz,
  primary key (brand_id, endpoint_id, id)
) with (fillfactor = 70);

create index webhook_messages_waiting on webhook_messages (brand_id, endpoint_id, ready_at) where state = 'waiting';
create index webhook_messages_leased on webhook_messages (brand_id, endpoint_id) where leased_by is not null;
create index webhook_messages_settled on webhook_messages (brand_id, state, settled_at) where state <> 'waiting';
create index webhook_messages_profile on webhook_messages (brand_id, profile_id) where profile_id is not null;
-- A device may get a person later; erasing the person then finds the messages from before.
create index webhook_messages_device on webhook_messages (brand_id, (data ->> 'subscription_id'))
  where profile_id is null and data ->> 'subscription_id' is not null;
grant select, insert, update on webhook_messages to beckon_app;
grant select, insert, update, delete on webhook_messages to beckon_engine;

-- A notification becomes `sent` in many statements, so that a trigger writes the messages about it: once for each
-- statement, because hundreds of notifications to one person each become `sent` together, and once for each row that
-- is inserted as `sent`, which is rare.
create function enqueue_notifications_sent() returns trigger language plpgsql set enable_hashjoin = on as $body$
begin
  insert into webhook_messages (brand_id, endpoint_id, event_type, profile_id, data, created_at, ready_at)
  select e.brand_id, e.id, 'notification.sent', n.profile_id, sent_data(n), clock_timestamp(), clock_timestamp()
  from new_rows as n
  join webhook_endpoints as e
    on e.brand_id = n.brand_id and e.disabled_at is null and 'notification.sent' = any(e.event_types)
  where n.state = 'sent' and not exists (
    select from old_rows as o where o.brand_id = n.brand_id and o.id = n.id and o.state = 'sent');
  return null;
end
$body$;

create function enqueue_notification_sent() returns trigger language plpgsql as $body$
begin
  insert into webhook_messages (brand_id, endpoint_id, event_type, profile_id, data, created_at, ready_at)
  select e.brand_id, e.id, 'notification.sent', new.profile_id, sent_data(new), clock_timestamp(), clock_timestamp()
  from webhook_endpoints as e
  where e.brand_id = new.brand_id and e.disabled_at is null and 'notification.sent' = any(e.event_types);
  return null;
end
$body$;

create function sent_data(n notifications) returns jsonb language sql immutable as $body$
  select jsonb_build_object('id', n.id, 'notification_id', n.caller_notification_id, 'platform', n.platform,
    'audience', n.audience, 'accepted', n.accepted, 'failed', n.failed, 'expired', n.expired)
$body$;

revoke execute on function enqueue_notifications_sent, enqueue_notification_sent, sent_data from public;
grant execute on function sent_data to beckon_app, beckon_engine;
create trigger notification_sent_at_once after insert on notifications
  for each row when (new.state = 'sent') execute function enqueue_notification_sent();
create trigger notification_sent after update on notifications
  referencing old table as old_rows new table as new_rows
  for each statement execute function enqueue_notifications_sent();

-- Leases messages for up to `wanted` calls. Endpoints take turns: the endpoint with the fewest calls under way is
-- next, and chance decides between equals; none has more than `calls_max`. Endpoints that fail are claimed apart from
-- those that work, so that they delay no other. `turn` steps from endpoint to endpoint through the index, so a
-- million waiting messages of one endpoint cost one step. This is a function for the same reason as claim_chunks, and
-- finds its rows again in the same way.
create function claim_webhooks(
  of_worker text, wanted integer, lease_length interval, that_fail boolean, calls_max integer, given_now timestamptz
) returns setof webhook_messages
language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
declare
  moment timestamptz := coalesce(given_now, clock_timestamp());
  stopped integer[] := array(select id from brands where deleted_at is not null);
begin
  return query
  with recursive turn (brand_id, endpoint_id) as (
    (select m.brand_id, m.endpoint_id from webhook_messages as m where m.state = 'waiting'
     order by m.brand_id, m.endpoint_id limit 1)
    union all
    select next.brand_id, next.endpoint_id from turn cross join lateral (
      select m.brand_id, m.endpoint_id from webhook_messages as m
      where m.state = 'waiting' and (m.brand_id, m.endpoint_id) > (turn.brand_id, turn.endpoint_id)
      order by m.brand_id, m.endpoint_id limit 1
    ) as next
  ), open as materialized (
    select e.brand_id, e.id, e.batch_max, (busy.count + e.batch_max - 1) / e.batch_max as calls, random() as chance
    from turn join webhook_endpoints as e on e.brand_id = turn.brand_id and e.id = turn.endpoint_id
    cross join lateral (
      select count(*) from webhook_messages as m
      where m.brand_id = e.brand_id and m.endpoint_id = e.id and m.leased_by is not null and m.ready_at > moment
    ) as busy
    where e.brand_id <> all (stopped) and e.disabled_at is null and coalesce(e.paused_until <= moment, true)
      and (e.failing_since is not null) = that_fail
  ), ready as (
    select open.id as endpoint_id, found.at, open.chance,
      open.calls + (row_number() over (partition by open.brand_id, open.id order by found.ready_at) - 1)
        / open.batch_max as place
    from open cross join lateral (
      select m.ctid as at, m.ready_at from webhook_messages as m
      where m.brand_id = open.brand_id and m.endpoint_id = open.id and m.state = 'waiting' and m.ready_at <= moment
      order by m.ready_at limit greatest(0, least(wanted, calls_max - open.calls)) * open.batch_max
    ) as found
  ), chosen as (
    select ready.*, dense_rank() over (order by ready.place, ready.chance, ready.endpoint_id) as call from ready
  ), taken as (
    select locked.at from (select * from chosen where call <= wanted) as chosen
    cross join lateral (
      select m.ctid as at from webhook_messages as m
      where m.ctid = chosen.at and m.state = 'waiting' and m.ready_at <= moment
      for update skip locked
    ) as locked
  )
  update webhook_messages as m set claims = m.claims + 1, leased_by = of_worker, ready_at = moment + lease_length
  from taken where m.ctid = taken.at
  returning m.*;
end
$body$;

revoke execute on function claim_webhooks from public;
grant execute on function claim_webhooks to beckon_engine;

-- The results of campaigns and journeys (docs/campaigns.md).

-- The people whom a campaign with a goal, variants or a holdout was planned for: `trial_group` is the place of the
-- variant that they get, -1 for the holdout, -2 for the brand's control group. A device without a person counts as a
-- person, with its id made negative.
create table campaign_people (
  brand_id integer not null,
  campaign_id bigint not null,
  profile_id bigint not null,
  trial_group smallint not null,
  planned_at timestamptz not null,
  clicked_at timestamptz,
  primary key (brand_id, campaign_id, profile_id)
);

create index campaign_people_person on campaign_people (brand_id, profile_id);
grant select, insert, update, delete on campaign_people to beckon_app, beckon_engine;

-- The people of campaign_people who did the goal within its time after the planned send, sent to or not, with their
-- group.
create table goal_people (
  brand_id integer not null,
  campaign_id bigint not null,
  profile_id bigint not null,
  trial_group smallint not null,
  events integer not null check (events > 0),
  ltv numeric not null,
  primary key (brand_id, campaign_id, profile_id)
);

create index goal_people_person on goal_people (brand_id, profile_id);
grant select on goal_people to beckon_app;
grant select, insert, update, delete on goal_people to beckon_engine;

-- A goal event, by its id, and the message it counts for: the last one before it, of a campaign or of a journey's step.
create table conversions (
  brand_id integer not null,
  id bigint not null,
  profile_id bigint not null,
  at timestamptz not null,
  ltv numeric not null,
  campaign_id bigint,
  journey_id bigint,
  step text,
  notification_id uuid not null,
  subscription_id bigint not null,
  platform text not null,
  variant smallint,
  primary key (brand_id, id),
  check (campaign_id is null or journey_id is null)
);

create index conversions_person on conversions (brand_id, profile_id);
create index conversions_age on conversions (brand_id, at);
grant select on conversions to beckon_app;
grant select, insert, update, delete on conversions to beckon_engine;

-- The figures of campaigns and journeys, so that reading results takes no longer when there are more people
-- (docs/decisions/0016-result-counts.md). A figure is of the whole (`all`) or of one part: a trial group, a variant, a
-- platform or a journey's step. The triggers below write each change to result_changes, in the transaction that makes
-- the change; nobody waits for anybody, because every change is a row of its own. A loop adds the changes up in
-- result_counts. The figure is the sum of both tables.
create table result_counts (
  brand_id integer not null,
  source text not null check (source in ('campaign', 'journey')),
  source_id bigint not null,
  figure text not null,
  part_of text not null check (part_of in ('all', 'group', 'variant', 'platform', 'step')),
  part text not null,
  amount numeric not null,
  primary key (brand_id, source, source_id, figure, part_of, part)
) with (fillfactor = 70);

grant select on result_counts to beckon_app;
grant select, insert, update, delete on result_counts to beckon_engine;

create table result_changes (
  brand_id integer not null,
  id bigint generated by default as identity,
  source text not null check (source in ('campaign', 'journey')),
  source_id bigint not null,
  figure text not null,
  part_of text not null check (part_of in ('all', 'group', 'variant', 'platform', 'step')),
  part text not null,
  amount numeric not null,
  primary key (brand_id, id)
);

create index result_changes_source on result_changes (brand_id, source, source_id);
grant select, insert on result_changes to beckon_app;
grant select, insert, update, delete on result_changes to beckon_engine;

-- Whether rows are deleted because of their age: then the figures stay.
create function keeps_results() returns boolean language sql stable
  return coalesce(current_setting('beckon.keeps_results', true), '') = 'on';

revoke execute on function keeps_results from public;
grant execute on function keeps_results to beckon_app, beckon_engine;

-- Counts people by group, and of them those who clicked.
create function count_campaign_people() returns trigger language plpgsql as $body$
begin
  if tg_op <> 'DELETE' then
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select brand_id, 'campaign', campaign_id, figure, 'group', trial_group, amount
    from (select brand_id, campaign_id, trial_group, count(*) as people, count(clicked_at) as clicked from new_rows
      group by 1, 2, 3) as r
    cross join lateral (values ('people', people), ('clicked', clicked)) as f (figure, amount) where amount > 0;
  end if;
  if tg_op = 'UPDATE' or tg_op = 'DELETE' and not keeps_results() then
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select brand_id, 'campaign', campaign_id, figure, 'group', trial_group, -amount
    from (select brand_id, campaign_id, trial_group, count(*) as people, count(clicked_at) as clicked from old_rows
      group by 1, 2, 3) as r
    cross join lateral (values ('people', people), ('clicked', clicked)) as f (figure, amount) where amount > 0;
  end if;
  return null;
end
$body$;

revoke execute on function count_campaign_people from public;
create trigger campaign_people_added after insert on campaign_people
  referencing new table as new_rows for each statement execute function count_campaign_people();
create trigger campaign_people_changed after update on campaign_people
  referencing new table as new_rows old table as old_rows for each statement execute function count_campaign_people();
create trigger campaign_people_gone after delete on campaign_people
  referencing old table as old_rows for each statement execute function count_campaign_people();

-- Counts the people who reached the goal, by group. Neither the group nor the campaign of a row ever changes.
create function count_goal_people() returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select brand_id, 'campaign', campaign_id, 'reached', 'group', trial_group, count(*) from new_rows group by 1, 3, 6;
  elsif not keeps_results() then
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select brand_id, 'campaign', campaign_id, 'reached', 'group', trial_group, -count(*) from old_rows group by 1, 3, 6;
  end if;
  return null;
end
$body$;

revoke execute on function count_goal_people from public;
create trigger goal_people_added after insert on goal_people
  referencing new table as new_rows for each statement execute function count_goal_people();
create trigger goal_people_gone after delete on goal_people
  referencing old table as old_rows for each statement execute function count_goal_people();

-- Counts conversions, their ltv and the people who have any. A person counts once in each part, so the rows of the
-- people concerned are looked up: whoever writes conversions has locked the place of the reader of goals, and no other
-- transaction adds or removes any meanwhile. A statement must not insert some and update others.
create function count_conversions() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' and keeps_results() then return null; end if;
  execute format($query$
    with changed as materialized (%s
    ), present as (
      select 0 as sign, c.* from (select distinct brand_id, profile_id from changed) as person
      cross join lateral (
        select * from conversions where brand_id = person.brand_id and profile_id = person.profile_id offset 0
      ) as c
    ), part as (
      select brand_id, source, source_id, part_of, part, sum(sign) as conversions, sum(sign * ltv) as ltv,
        count(*) filter (where sign = 0) > 0 as has_now,
        count(*) filter (where sign = 0) - sum(sign) > 0 as had_before
      from (select * from changed union all select * from present) as r
      cross join lateral (select case when campaign_id is null then 'journey' else 'campaign' end,
        coalesce(campaign_id, journey_id)) as s (source, source_id)
      cross join lateral (values ('all', ''), ('variant', variant::text), ('platform', platform), ('step', step))
        as p (part_of, part)
      where part is not null and source_id is not null
      group by brand_id, profile_id, source, source_id, part_of, part
    )
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select brand_id, source, source_id, figure, part_of, part, sum(amount)
    from part cross join lateral (values ('conversions', conversions), ('ltv', ltv),
      ('converted', has_now::integer - had_before::integer)) as f (figure, amount)
    group by 1, 2, 3, 4, 5, 6 having sum(amount) <> 0
    $query$, case tg_op
      when 'INSERT' then 'select 1 as sign, * from new_rows'
      when 'DELETE' then 'select -1 as sign, * from old_rows'
      else 'select 1 as sign, * from new_rows union all select -1, * from old_rows' end);
  return null;
end
$body$;

revoke execute on function count_conversions from public;
create trigger conversions_added after insert on conversions
  referencing new table as new_rows for each statement execute function count_conversions();
create trigger conversions_changed after update on conversions
  referencing new table as new_rows old table as old_rows for each statement execute function count_conversions();
create trigger conversions_gone after delete on conversions
  referencing old table as old_rows for each statement execute function count_conversions();

-- Counts the devices of a campaign's variants by the state of their delivery. Only old age deletes deliveries of a
-- campaign, and then the figures stay. Most notifications have no variants, and leave at once.
create function count_variant_devices() returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    if not exists (select from new_rows where variant is not null) then return null; end if;
  elsif not exists (select from new_rows where variant is not null union all
    select from old_rows where variant is not null) then return null;
  end if;
  insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
  select n.brand_id, 'campaign', n.campaign_id, 'devices.' || d.state, 'variant', d.variant, d.devices
  from (select brand_id, notification_id, state, variant, count(*) as devices from new_rows
    where variant is not null group by 1, 2, 3, 4) as d
  join notifications as n on n.brand_id = d.brand_id and n.id = d.notification_id
  where n.campaign_id is not null and not n.is_test;
  if tg_op = 'INSERT' then return null; end if;
  insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
  select n.brand_id, 'campaign', n.campaign_id, 'devices.' || d.state, 'variant', d.variant, -d.devices
  from (select brand_id, notification_id, state, variant, count(*) as devices from old_rows
    where variant is not null group by 1, 2, 3, 4) as d
  join notifications as n on n.brand_id = d.brand_id and n.id = d.notification_id
  where n.campaign_id is not null and not n.is_test;
  return null;
end
$body$;

revoke execute on function count_variant_devices from public;
create trigger deliveries_added after insert on deliveries
  referencing new table as new_rows for each statement execute function count_variant_devices();
create trigger deliveries_changed after update on deliveries
  referencing new table as new_rows old table as old_rows for each statement execute function count_variant_devices();

-- Counts the receipts of a campaign by kind.
create function count_receipts() returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select n.brand_id, 'campaign', n.campaign_id, 'receipts.' || r.kind, 'all', '', r.receipts
    from (select brand_id, notification_id, kind, count(*) as receipts from new_rows group by 1, 2, 3) as r
    join notifications as n on n.brand_id = r.brand_id and n.id = r.notification_id
    where n.campaign_id is not null and not n.is_test;
  elsif not keeps_results() then
    insert into result_changes (brand_id, source, source_id, figure, part_of, part, amount)
    select n.brand_id, 'campaign', n.campaign_id, 'receipts.' || r.kind, 'all', '', -r.receipts
    from (select brand_id, notification_id, kind, count(*) as receipts from old_rows group by 1, 2, 3) as r
    join notifications as n on n.brand_id = r.brand_id and n.id = r.notification_id
    where n.campaign_id is not null and not n.is_test;
  end if;
  return null;
end
$body$;

revoke execute on function count_receipts from public;
create trigger receipts_added after insert on receipts
  referencing new table as new_rows for each statement execute function count_receipts();
create trigger receipts_gone after delete on receipts
  referencing old table as old_rows for each statement execute function count_receipts();

-- People whose goals are to be counted again: a merge, or the end of one, moved their events, a device became theirs or
-- another person's, or they clicked a message whose goal counts from the click. A row that is there already is written
-- again, so that its count waits for the transaction that asks for it.
create table goal_recounts (
  brand_id integer not null,
  profile_id bigint not null,
  primary key (brand_id, profile_id)
);

grant select, insert, update on goal_recounts to beckon_app;
grant select, insert, update, delete on goal_recounts to beckon_engine;

-- A device without a person is a person of its own in campaigns. When it becomes known whose it is, the two are one, as
-- after a merge: the person stays in the group that they have.
create function join_device_campaigns() returns trigger language plpgsql as $body$
begin
  with gone as (
    delete from campaign_people where brand_id = new.brand_id and profile_id = -new.id returning *
  )
  insert into campaign_people as p (brand_id, campaign_id, profile_id, trial_group, planned_at, clicked_at)
  select brand_id, campaign_id, new.profile_id, trial_group, planned_at, clicked_at from gone
  on conflict (brand_id, campaign_id, profile_id) do update set clicked_at = least(p.clicked_at, excluded.clicked_at);
  if found then
    insert into goal_recounts (brand_id, profile_id) values (new.brand_id, new.profile_id)
    on conflict (brand_id, profile_id) do update set profile_id = excluded.profile_id;
  end if;
  return null;
end
$body$;

revoke execute on function join_device_campaigns from public;
create trigger subscriptions_identified after update of profile_id on subscriptions
  for each row when (old.profile_id is null and new.profile_id is not null) execute function join_device_campaigns();

-- The messages on a device count for its person of today. When it changes hands, both people are counted again.
create function recount_device_people() returns trigger language plpgsql as $body$
begin
  insert into goal_recounts (brand_id, profile_id)
  select new.brand_id, person from unnest(array[old.profile_id, new.profile_id]) as person
  where person is not null and exists (
    select from campaign_people as p where p.brand_id = new.brand_id and p.profile_id = person)
  order by person
  on conflict (brand_id, profile_id) do update set profile_id = excluded.profile_id;
  return null;
end
$body$;

revoke execute on function recount_device_people from public;
create trigger subscriptions_handed_over after update of profile_id on subscriptions
  for each row when (old.profile_id is not null and new.profile_id is distinct from old.profile_id)
  execute function recount_device_people();

-- Team: the people who sign in. These tables belong to the instance and to no brand; only beckon_team may touch them.
-- memberships has a brand and is walled like every other table, and beckon_team sees all of it.

create table members (
  id uuid primary key,
  email text not null unique check (length(email) between 3 and 254 and email = lower(email)),
  name text not null check (length(name) <= 200),
  email_verified boolean not null,
  image text,
  two_factor_enabled boolean not null default false,
  is_administrator boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

grant select, insert, update, delete on members to beckon_team;

-- How a member signs in: a password (its hash), or an account at the company's identity provider.
create table member_accounts (
  id uuid primary key,
  member_id uuid not null references members (id) on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);

create index member_accounts_member on member_accounts (member_id);
grant select, insert, update, delete on member_accounts to beckon_team;

-- A session is stored as the SHA-256 of its token. `confirmed_at`: when the member last proved who they are.
create table member_sessions (
  id uuid primary key,
  member_id uuid not null references members (id) on delete cascade,
  token text not null unique check (token ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  confirmed_at timestamptz not null default clock_timestamp()
);

create index member_sessions_member on member_sessions (member_id);
create index member_sessions_expiry on member_sessions (expires_at);
grant select, insert, update, delete on member_sessions to beckon_team;

-- Unfinished sign-ins: a password without its second factor, the challenge of a passkey, the state of an OIDC sign-in.
create table member_verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index member_verifications_identifier on member_verifications (identifier);
create index member_verifications_expiry on member_verifications (expires_at);
grant select, insert, update, delete on member_verifications to beckon_team;

-- The secret of the authenticator app and the recovery codes, both encrypted.
create table member_two_factors (
  id uuid primary key,
  member_id uuid not null unique references members (id) on delete cascade,
  secret text not null,
  backup_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

grant select, insert, update, delete on member_two_factors to beckon_team;

-- Codes of the authenticator app that were used, so that none is taken twice.
create table member_used_codes (
  member_id uuid not null references members (id) on delete cascade,
  code text not null,
  used_at timestamptz not null,
  primary key (member_id, code)
);

grant select, insert, update, delete on member_used_codes to beckon_team;

create table member_passkeys (
  id uuid primary key,
  member_id uuid not null references members (id) on delete cascade,
  name text check (length(name) <= 200),
  credential_id text not null unique,
  public_key text not null,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);

create index member_passkeys_member on member_passkeys (member_id);
grant select, insert, update, delete on member_passkeys to beckon_team;

-- A membership without `accepted_at` is an invitation: it opens nothing until the link of this brand is used.
create table memberships (
  brand_id integer not null references brands (id),
  member_id uuid not null references members (id) on delete cascade,
  role text not null check (role in ('owner', 'editor', 'author', 'analyst', 'developer')),
  created_at timestamptz not null,
  accepted_at timestamptz,
  primary key (brand_id, member_id)
);

create index memberships_member on memberships (member_id);
grant select, insert, update (role, accepted_at), delete on memberships to beckon_team;
grant select, insert, delete on memberships to beckon_engine;
create policy all_memberships on memberships to beckon_team using (true);

-- One-time links, stored as their SHA-256. A link without a member makes the first administrator. `of_brand` is the brand
-- whose invitation, or whose owner's reset, the link is; the operator's links have none. A link goes with its membership.
create table member_links (
  id uuid primary key,
  member_id uuid references members (id) on delete cascade,
  of_brand integer,
  token_hash bytea not null unique check (length(token_hash) = 32),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  foreign key (of_brand, member_id) references memberships (brand_id, member_id) on delete cascade
);

create index member_links_member on member_links (member_id, of_brand);
grant select, insert, delete on member_links to beckon_team;

-- A member calls with the settings of a brand, as a key does.
grant select on brands to beckon_team;
create policy team_brands on brands to beckon_team using (true);
-- Series (docs/decisions/0017-series.md).

-- How often something happened, by metric, time and what it belongs to. A row counts one span of `minutes` that begins
-- at `starts_at`: a minute, a quarter of an hour, or an hour; the minutes 0 stand for all time. Zones differ by quarters
-- of an hour, so any day of any zone is a sum of rows. '' and 0 mean: none.
create table series (
  brand_id integer not null,
  metric text not null,
  minutes smallint not null check (minutes in (0, 1, 15, 60)),
  starts_at timestamptz not null,
  platform text not null,
  campaign_id bigint not null,
  journey_id bigint not null,
  step text not null,
  name text not null,
  count bigint not null,
  primary key (brand_id, metric, minutes, starts_at, platform, campaign_id, journey_id, step, name)
) with (fillfactor = 70);

create index series_age on series (brand_id, minutes, starts_at);
grant select on series to beckon_app;
grant select, insert, update, delete on series to beckon_engine;

-- The changes of series that are not added to them yet. The statement that changes something writes its change here, in
-- the same commit, as a row of its own, so nobody waits for anybody. A loop adds the rows up. A series is the sum of
-- both tables. `notification_id` is given with receipts, which are counted by notification too.
create table series_changes (
  brand_id integer not null,
  id bigint generated by default as identity,
  metric text not null,
  at timestamptz not null,
  platform text not null default '',
  campaign_id bigint not null default 0,
  journey_id bigint not null default 0,
  step text not null default '',
  name text not null default '',
  notification_id uuid,
  count bigint not null,
  primary key (brand_id, id)
);

create index series_changes_notification on series_changes (brand_id, notification_id) where notification_id is not null;
grant select, insert on series_changes to beckon_app;
grant select, insert, update, delete on series_changes to beckon_engine;

-- The number of deliveries of a notification with a receipt, by kind.
create table receipt_counts (
  brand_id integer not null,
  notification_id uuid not null,
  kind text not null,
  count bigint not null,
  primary key (brand_id, notification_id, kind)
) with (fillfactor = 70);

grant select on receipt_counts to beckon_app;
grant select, insert, update, delete on receipt_counts to beckon_engine;

-- The days of a week, which begins on a Monday, on which a person did something, in the brand's zone: Monday is 1,
-- Tuesday 2, Wednesday 4 and so on.
create table active_weeks (
  brand_id integer not null,
  profile_id bigint not null,
  week date not null,
  days smallint not null check (days between 1 and 127),
  primary key (brand_id, profile_id, week)
) with (fillfactor = 80);

-- For the purge alone. Without statistics the planner would take an index on the week itself to look up a person, and read
-- everybody of the week each time.
create index active_weeks_age on active_weeks (brand_id, (week + 0));
grant select on active_weeks to beckon_app;
grant select, insert, update, delete on active_weeks to beckon_engine;

-- How many people did something on a day, or in the week that begins with it. `time_zone` is the brand's zone when the
-- people were counted; '' when it changed in between.
create table active_people (
  brand_id integer not null,
  span text not null check (span in ('day', 'week')),
  day date not null,
  people bigint not null,
  time_zone text not null,
  primary key (brand_id, span, day)
) with (fillfactor = 50);

grant select on active_people to beckon_app;
grant select, insert, update, delete on active_people to beckon_engine;

-- An estimate of the people who did something in an hour: the smallest hashes of their numbers, 256 at most. How close
-- they lie together tells how many there are; fewer than 256 are exact.
create table active_hours (
  brand_id integer not null,
  starts_at timestamptz not null,
  hashes bigint[] not null,
  primary key (brand_id, starts_at)
) with (fillfactor = 70);

grant select on active_hours to beckon_app;
grant select, insert, update, delete on active_hours to beckon_engine;

-- Subscriptions come and go in many statements, and with their people; so triggers count them. The purge
-- of a deleted brand (`keeps_results`) counts nothing, because it would leave rows behind in series_changes.
create function count_subscriptions() returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    insert into series_changes (brand_id, metric, at, platform, count)
    select brand_id, 'subscriptions', clock_timestamp(), platform, count(*) from changed
    where state = 'live' and not is_virtual group by brand_id, platform;
  elsif not keeps_results() then
    insert into series_changes (brand_id, metric, at, platform, count)
    select brand_id, 'subscriptions', clock_timestamp(), platform, -count(*) from changed
    where state = 'live' and not is_virtual group by brand_id, platform;
  end if;
  return null;
end
$body$;

create function count_subscription_state() returns trigger language plpgsql as $body$
begin
  if (old.state = 'live') <> (new.state = 'live') then
    insert into series_changes (brand_id, metric, at, platform, count)
    values (new.brand_id, 'subscriptions', clock_timestamp(), new.platform, case new.state when 'live' then 1 else -1 end);
  end if;
  if new.state = 'unsubscribed' then
    insert into series_changes (brand_id, metric, at, platform, name, count)
    values (new.brand_id, 'unsubscribed', clock_timestamp(), new.platform, coalesce(new.state_reason, ''), 1);
  end if;
  return null;
end
$body$;

-- A profile that the end of a merge brings back is counted again, because the merge took it off.
create function count_new_people() returns trigger language plpgsql as $body$
begin
  insert into series_changes (brand_id, metric, at, count)
  select brand_id, 'people_new', date_trunc('minute', created_at), count(*) from changed group by 1, 3;
  return null;
end
$body$;

revoke execute on function count_subscriptions, count_subscription_state, count_new_people from public;
create trigger subscriptions_came after insert on subscriptions
  referencing new table as changed for each statement execute function count_subscriptions();
create trigger subscriptions_left after delete on subscriptions
  referencing old table as changed for each statement execute function count_subscriptions();
create trigger subscriptions_state after update of state on subscriptions
  for each row when (old.state <> new.state and not new.is_virtual) execute function count_subscription_state();
create trigger profiles_came after insert on profiles
  referencing new table as changed for each statement execute function count_new_people();

-- Audit (docs/audit.md).

-- One line for each change of settings, content, members and keys, and for each action on personal data. A trigger writes
-- it in the transaction of the change, so neither exists without the other. No role may update a line; the engine
-- deletes old ones. Lines of brand 0 belong to the instance: no brand has that number. `actor` is a key, a member, `cli`
-- or `system`. A person is named by the internal id alone, so that erasing them leaves nothing here.
create table audit (
  brand_id integer not null,
  id uuid not null default uuidv7(),
  at timestamptz not null default clock_timestamp(),
  actor text not null check (length(actor) between 1 and 100),
  action text not null,
  subject_type text not null,
  subject_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  network text,
  primary key (brand_id, id)
);

create index audit_age on audit (brand_id, at);
create index audit_subject on audit (brand_id, subject_type, subject_id, id);
grant select, insert on audit to beckon_app;
grant select, insert, delete on audit to beckon_engine;
grant insert on audit to beckon_team;
create policy team_audit on audit to beckon_team using (true);

-- The author of the transaction. Requests run as beckon_app and must name theirs; without one, other roles are `system`.
create function audit_actor() returns text language plpgsql stable as $body$
declare
  author text := nullif(current_setting('beckon.actor', true), '');
begin
  if author is null and current_user = 'beckon_app' then
    raise exception 'a change that is audited has no author';
  end if;
  return coalesce(author, 'system');
end
$body$;

-- Writes a line. The caller of the transaction is in settings, which `begin` brings along (store/db.ts).
create function write_audit_line(
  of_brand integer, by_actor text, of_action text, of_type text, of_id text, was jsonb, became jsonb
) returns void language sql as $body$
  insert into audit (brand_id, actor, action, subject_type, subject_id, before, after, request_id, network)
  values (of_brand, by_actor, of_action, of_type, of_id, was, became,
    nullif(current_setting('beckon.request_id', true), ''), nullif(current_setting('beckon.network', true), ''))
$body$;

-- A document without the people that it names: lists of user ids, and values of the attributes that identify a person.
create function hide_people(given jsonb) returns jsonb language plpgsql immutable as $body$
begin
  if jsonb_typeof(given) = 'array' then
    return (select coalesce(jsonb_agg(hide_people(item) order by place), '[]')
      from jsonb_array_elements(given) with ordinality as items (item, place));
  end if;
  if jsonb_typeof(given) <> 'object' then return given; end if;
  return (select coalesce(jsonb_object_agg(name, case
      when name in ('users', 'user_ids') then '"[hidden]"'
      when name not in ('attribute', 'user_attribute') and lower(coalesce(given ->> 'attribute', given ->> 'user_attribute'))
        in ('email', 'mobile', 'userid', 'user_id') then '"[hidden]"'
      else hide_people(value) end), '{}')
    from jsonb_each(given) as fields (name, value));
end
$body$;

-- Writes the lines of a table. Arguments: the type of the subject; the columns of its id; the columns that people change;
-- those of them that are secret; for whom: `people` leaves out what loops do, `anyone` lets a request come without
-- an author, `authors` demands one; and the actions that an insert and an update are. Brands that are made, deleted, restored
-- or removed at the end of their grace period, and rows without a brand, are lines of the instance.
create function write_audit() returns trigger language plpgsql as $body$
declare
  was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  became jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  present jsonb := coalesce(became, was);
  of_brand integer := coalesce((present ->> 'brand_id')::integer, 0);
  author text;
  verb text := case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'changed' end;
  names text[];
begin
  if tg_argv[4] = 'anyone' then author := coalesce(nullif(current_setting('beckon.actor', true), ''), 'system');
  else author := audit_actor(); end if;
  if tg_argv[4] = 'people' and author = 'system' then return null; end if;
  -- The line of the instance tells that a brand is deleted; what is still written and purged there needs none.
  if of_brand > 0 and not exists (
    select from brands where id = of_brand and (deleted_at is null or restorable_until is not null)
  ) then return null; end if;
  if tg_table_name = 'brands' and tg_op = 'UPDATE' then
    if was -> 'deleted_at' is not distinct from became -> 'deleted_at'
      and was -> 'restorable_until' is not distinct from became -> 'restorable_until' then
      of_brand := (present ->> 'id')::integer;
    elsif became ->> 'deleted_at' is null then verb := 'restored';
    elsif was ->> 'deleted_at' is null then verb := 'deleted';
    else verb := 'removed';
    end if;
  end if;
  if tg_op = 'INSERT' then verb := coalesce(tg_argv[5], verb); end if;
  if tg_op = 'UPDATE' then verb := coalesce(tg_argv[6], verb); end if;
  names := array(select name from unnest(string_to_array(tg_argv[2], ',')) as name
    where was -> name is distinct from became -> name);
  if tg_op = 'UPDATE' and names = '{}' then return null; end if;
  perform write_audit_line(of_brand, author, verb, tg_argv[0],
    (select string_agg(coalesce(present ->> name, ''), ':' order by place)
      from unnest(string_to_array(tg_argv[1], ',')) with ordinality as ids (name, place)),
    audit_columns(was, names, tg_argv[3]), audit_columns(became, names, tg_argv[3]));
  return null;
end
$body$;

-- The named columns of a row, without secrets and people; null for a row that is not there.
create function audit_columns(given jsonb, names text[], secret text) returns jsonb language sql immutable as $body$
  select jsonb_object_agg(name, case
      when given ->> name is null then 'null'
      when name = any(string_to_array(secret, ',')) then '"[hidden]"'
      else hide_people(given -> name) end)
  from unnest(names) as name where given is not null
$body$;

revoke execute on function audit_actor, write_audit_line, hide_people, write_audit, audit_columns from public;
grant execute on function audit_actor, write_audit_line, hide_people, audit_columns
  to beckon_app, beckon_engine, beckon_team;

create trigger brands_audit after insert or delete or update of name, time_zone, profile_merging, allowed_origins,
    identity_verification, frequency_cap, default_sound, language, control_percent, quiet_hours, approval_above,
    deleted_at, restorable_until
  on brands for each row execute function write_audit('brand', 'id',
    'external_id,name,time_zone,profile_merging,allowed_origins,identity_verification,frequency_cap,default_sound,language,control_percent,quiet_hours,approval_above,deleted_at,restorable_until',
    '', 'authors');
create trigger topics_audit after insert or delete or update of title, description, archived_at on topics
  for each row execute function write_audit('topic', 'name', 'title,description,archived_at', '', 'authors');
create trigger api_keys_audit after insert or delete or update of revoked_at on api_keys
  for each row execute function write_audit('key', 'id', 'kind,hint,scopes,label,revoked_at', '', 'authors');
-- A secret that is sealed anew keeps its `updated_at`.
create trigger sealed_secrets_audit after insert or delete or update of updated_at on sealed_secrets
  for each row execute function write_audit('secret', 'kind', 'ciphertext', 'ciphertext', 'authors');
create trigger channels_made_audit after insert on channels for each row when (new.version > 0)
  execute function write_audit('channel', 'platform', 'facts', '', 'authors');
create trigger channels_audit after delete or update of facts on channels
  for each row execute function write_audit('channel', 'platform', 'facts', '', 'authors');
create trigger webhook_endpoints_audit after insert or delete or update of url, description, event_types, batch_max,
    disabled_at
  on webhook_endpoints for each row execute function write_audit('webhook', 'id',
    'url,description,event_types,batch_max,disabled_at,disabled_reason', '', 'authors');
create trigger segments_audit after insert or delete or update of name, filter, archived_at on segments
  for each row execute function write_audit('segment', 'id', 'name,filter,archived_at', '', 'authors');
create trigger templates_audit after insert or delete or update of name, version, archived_at on templates
  for each row execute function write_audit('template', 'id', 'name,version,archived_at', '', 'authors');
create trigger template_versions_audit after insert on template_versions
  for each row execute function write_audit('template_version', 'template_id,version', 'content', '', 'authors');
create trigger snippets_audit after insert or delete or update of text on snippets
  for each row execute function write_audit('snippet', 'name', 'text', '', 'authors');
create trigger journeys_audit after insert or delete or update of name, state, version on journeys
  for each row execute function write_audit('journey', 'id', 'name,state,version', '', 'authors');
create trigger journey_versions_audit after insert on journey_versions
  for each row execute function write_audit('journey_version', 'journey_id,version', 'document', '', 'authors');
create trigger campaigns_audit after insert or delete or update of name, tags, document, state, requested_by,
    approved_by, archived_at
  on campaigns for each row execute function write_audit('campaign', 'id',
    'name,tags,document,state,requested_by,approved_by,archived_at', '', 'people');
create trigger members_audit after insert or delete or update of is_administrator, two_factor_enabled on members
  for each row execute function write_audit('member', 'id', 'is_administrator,two_factor_enabled', '', 'anyone');
create trigger memberships_audit after insert or delete or update of role, accepted_at on memberships
  for each row execute function write_audit('membership', 'member_id', 'role,accepted_at', '', 'anyone');
-- Whoever has a link can sign in as its member.
create trigger member_links_audit after insert on member_links
  for each row execute function write_audit('sign_in_link', 'member_id', '', '', 'anyone');
-- Many merges come with events, which no single caller has asked for.
create trigger profile_merges_audit after insert or update of undone_at on profile_merges for each row
  execute function write_audit('merge', 'id', 'survivor_id,absorbed_id,undone_at', '', 'anyone', 'merged', 'unmerged');
create trigger erasures_audit after insert on erasures
  for each row execute function write_audit('person', 'profile_id', '', '', 'anyone', 'erased');

-- Puts row-level security on every table with a brand_id, and on brands itself, that does not have it yet. Nothing
-- names the tables, so none can be forgotten here; a migration that makes a table ends with this call. A partition is
-- reached through its parent, whose policies apply.
create procedure isolate_brands() language plpgsql as $body$
declare
  found record;
begin
  for found in
    select relname as name, case relname when 'brands' then 'id' else 'brand_id' end as brand
    from pg_class as c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and not relforcerowsecurity
      and (relname = 'brands' or exists (
        select from pg_attribute where attrelid = c.oid and attname = 'brand_id' and not attisdropped))
  loop
    execute format('alter table %I enable row level security', found.name);
    execute format('alter table %I force row level security', found.name);
    execute format('create policy one_brand on %I to beckon_app
      using (%I = (select current_setting(''beckon.brand_id'')::integer))', found.name, found.brand);
    execute format('create policy all_brands on %I to beckon_engine using (true)', found.name);
  end loop;
end
$body$;

revoke execute on procedure isolate_brands from public;
call isolate_brands();
