-- The form that a journey's document is written in, so that a later form can tell the old ones apart.
alter table journey_versions add column format integer not null default 1;
