-- Segments ask who did an event of late, again and again: the index holds the answer, so no row has to be read for it.
drop index events_name;
create index events_name on events (brand_id, event_name, event_at) include (profile_id);
