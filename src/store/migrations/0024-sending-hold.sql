-- While this has its one row, nothing leaves: whoever claims work that would be sent, or told to a webhook, finds none.
-- It stands in the database, so that it outlives every process and holds for all of them (docs/operating.md).
create table sending_hold (
  is_held boolean primary key default true check (is_held),
  since timestamptz not null
);

grant select, insert, delete on sending_hold to beckon_engine;
