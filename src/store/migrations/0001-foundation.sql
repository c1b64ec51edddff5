-- What every lane stands on: brands, their keys and secrets, the rate limiter, idempotency.
-- The roles beckon_app and beckon_engine are made by migrate.ts before the first file runs.

create table schema_migrations (
  version integer primary key,
  name text not null,
  sha256 bytea not null,
  applied_at timestamptz not null default now()
);

grant select on schema_migrations to beckon_app, beckon_engine;

create table brands (
  id integer generated always as identity primary key,
  external_id text not null unique check (length(external_id) between 1 and 100),
  name text not null check (length(name) between 1 and 200),
  time_zone text not null default 'UTC',
  profile_merging boolean not null default false,
  allowed_origins text[] not null default '{}',
  created_at timestamptz not null
);

alter table brands enable row level security;
alter table brands force row level security;
create policy one_brand on brands to beckon_app
  using (id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on brands to beckon_engine using (true);
grant select, update (name, time_zone, profile_merging, allowed_origins) on brands to beckon_app;
grant select, insert, update (name, time_zone, profile_merging, allowed_origins) on brands to beckon_engine;

-- A key is kept as its SHA-256. Only the engine reads the hash: a key arrives before its brand is known.
create table api_keys (
  brand_id integer not null references brands (id),
  id integer generated always as identity,
  kind text not null check (kind in ('secret', 'publishable')),
  hash bytea not null unique check (length(hash) = 32),
  hint text not null,
  scopes text[] not null,
  label text not null check (length(label) <= 200),
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (brand_id, id)
);

alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy one_brand on api_keys to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on api_keys to beckon_engine using (true);
grant select (brand_id, id, kind, hint, scopes, label, created_at, revoked_at), insert, update (revoked_at)
  on api_keys to beckon_app;
grant select, insert, update (revoked_at) on api_keys to beckon_engine;

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

alter table sealed_secrets enable row level security;
alter table sealed_secrets force row level security;
create policy one_brand on sealed_secrets to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on sealed_secrets to beckon_engine using (true);
grant select, insert, update, delete on sealed_secrets to beckon_app, beckon_engine;

-- The reply to a request that carried an Idempotency-Key, kept as written. No foreign key: rows live for a day.
create table idempotency_keys (
  brand_id integer not null,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  reply json not null,
  created_at timestamptz not null,
  primary key (brand_id, key)
);

create index idempotency_keys_age on idempotency_keys (brand_id, created_at);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy one_brand on idempotency_keys to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on idempotency_keys to beckon_engine using (true);
grant select, insert, update on idempotency_keys to beckon_app;
grant select, insert, update, delete on idempotency_keys to beckon_engine;

-- One row per rate-limited thing; its lock is what makes the window exact. `used` is the sum of its hits.
create table rate_buckets (
  brand_id integer not null,
  bucket text not null check (length(bucket) between 1 and 200),
  used integer not null default 0 check (used >= 0),
  expires_at timestamptz not null,
  primary key (brand_id, bucket)
);

alter table rate_buckets enable row level security;
alter table rate_buckets force row level security;
create policy one_brand on rate_buckets to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on rate_buckets to beckon_engine using (true);
grant select, insert, update, delete on rate_buckets to beckon_engine;

create table rate_hits (
  brand_id integer not null,
  bucket text not null,
  at timestamptz not null,
  hits integer not null check (hits > 0),
  primary key (brand_id, bucket, at)
);

alter table rate_hits enable row level security;
alter table rate_hits force row level security;
create policy one_brand on rate_hits to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on rate_hits to beckon_engine using (true);
grant select, insert, update, delete on rate_hits to beckon_engine;

-- Takes up to `wanted` places in a bucket that admits `hits_max` in any window of the given length. The bucket's
-- row is locked before the clock is read and the hits are counted, so callers everywhere go through one by one.
-- A hit from the future means that the clock was set back: it counts as made now, which never admits too many
-- and holds callers up for one window at most. Call it alone: it lets its whole transaction skip the disk.
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
