-- Webhooks: where a brand wants to be told what happened, and what is to be told.

-- One address of a brand, and the types of events it asked for. Its secrets lie in sealed_secrets under its id.
-- `failing_since` is the first failure after the last success; nothing is sent before `held_until`.
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
  disabled_reason text check (disabled_reason in ('asked', 'gone', 'failing')),
  failing_since timestamptz,
  held_until timestamptz,
  primary key (brand_id, id),
  check ((disabled_at is null) = (disabled_reason is null))
);

alter table webhook_endpoints enable row level security;
alter table webhook_endpoints force row level security;
create policy one_brand on webhook_endpoints to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on webhook_endpoints to beckon_engine using (true);
grant select, insert, update, delete on webhook_endpoints to beckon_app;
grant select, update on webhook_endpoints to beckon_engine;

-- The outbox and the log in one: a row is written in the transaction of the fact it tells of, once for each endpoint
-- that asked. Free for the taking from `ready_at` on, which a claim moves to the end of its lease; `claims` fences off
-- a worker that lost it. `attempts` is what came of each try. No foreign key: rows are written in bulk, and those of an
-- endpoint that was deleted are cleared away in steps.
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
alter table webhook_messages enable row level security;
alter table webhook_messages force row level security;
create policy one_brand on webhook_messages to beckon_app
  using (brand_id = (select current_setting('beckon.brand_id')::integer));
create policy all_brands on webhook_messages to beckon_engine using (true);
grant select, insert, update on webhook_messages to beckon_app;
grant select, insert, update, delete on webhook_messages to beckon_engine;

-- A notification becomes `sent` in many statements, and one that could not be sent at all becomes `failed` a moment
-- later in the same transaction: so this looks at the end of the transaction, and only at those that did.
create function tell_notification_sent() returns trigger language plpgsql as $body$
begin
  insert into webhook_messages (brand_id, endpoint_id, event_type, profile_id, data, created_at, ready_at)
  select e.brand_id, e.id, 'notification.sent', n.profile_id,
    jsonb_build_object('id', n.id, 'notification_id', n.caller_notification_id, 'platform', n.platform,
      'audience', n.audience, 'accepted', n.accepted, 'failed', n.failed, 'expired', n.expired),
    clock_timestamp(), clock_timestamp()
  from webhook_endpoints as e
  join notifications as n on n.brand_id = e.brand_id and n.id = new.id and n.state = 'sent'
  where e.brand_id = new.brand_id and e.disabled_at is null and 'notification.sent' = any(e.event_types);
  return null;
end
$body$;

revoke execute on function tell_notification_sent from public;
create constraint trigger notification_sent_at_once after insert on notifications
  deferrable initially deferred for each row when (new.state = 'sent') execute function tell_notification_sent();
create constraint trigger notification_sent after update of state on notifications
  deferrable initially deferred for each row when (new.state = 'sent' and old.state <> 'sent')
  execute function tell_notification_sent();
