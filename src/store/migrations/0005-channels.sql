-- How a brand reaches each platform. `facts` is what may be read back; the credential itself lies in sealed_secrets
-- under the same brand, and `version` rises with every change of it. A paused channel hands nothing over until
-- `retry_at`, and then a little, to see whether it was mended.
create table channels (
  brand_id integer not null,
  platform text not null check (platform in ('android', 'ios', 'web')),
  facts jsonb not null,
  version integer not null default 1,
  updated_at timestamptz not null,
  paused_reason text,
  paused_since timestamptz,
  retry_at timestamptz,
  primary key (brand_id, platform),
  check ((paused_reason is null) = (paused_since is null)),
  check ((paused_reason is null) = (retry_at is null))
);

create index channels_paused on channels (brand_id) where paused_reason is not null;
alter table channels enable row level security;
alter table channels force row level security;
create policy one_brand on channels to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on channels to beckon_engine using (true);
grant select, insert, update, delete on channels to beckon_app, beckon_engine;

-- Tokens that prove to a provider who we are, shared by all processes: APNs turns away a sender that mints too often.
-- They belong to a credential, which two brands may share, and so to no brand. Sealed like every secret; the hash
-- tells whether a token is still the one that somebody wants to replace.
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

-- What devices say became of a delivery; each kind counts once.
create table receipts (
  brand_id integer not null,
  notification_id uuid not null,
  subscription_id bigint not null,
  kind text not null check (kind in ('received', 'clicked', 'dismissed', 'button')),
  button integer check (button in (1, 2)),
  at timestamptz not null,
  primary key (brand_id, notification_id, subscription_id, kind)
);

alter table receipts enable row level security;
alter table receipts force row level security;
create policy one_brand on receipts to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on receipts to beckon_engine using (true);
grant select, insert on receipts to beckon_app;
grant select, insert, delete on receipts to beckon_engine;

-- Up to when the hand-overs of a throttled notification are given out; the next worker takes its share from there on.
alter table notifications add column throttled_until timestamptz;
