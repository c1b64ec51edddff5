-- A brand that is deleted keeps its row, under a name that nobody can send, until everything else of it is gone. Its rows
-- are removed in small steps; `emptied_at` is since when none was found.
alter table brands add column deleted_at timestamptz, add column emptied_at timestamptz;

grant update (external_id, deleted_at, emptied_at), delete on brands to beckon_engine;
grant delete on api_keys, attribute_locks, event_names, event_readers, webhook_endpoints to beckon_engine;
