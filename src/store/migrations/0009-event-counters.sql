-- Segments ask who did an event, not what a person did. Neither column of the index ever changes in a row.
create index profile_event_counters_event on profile_event_counters (brand_id, event_name);
