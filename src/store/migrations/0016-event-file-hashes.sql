-- The SHA-256 of each event file, so that a copy of it from an object store can be compared (decision 0039). Null in files that were
-- written before; those are in a folder.
alter table event_files add column sha256 bytea check (length(sha256) = 32);
