-- Tries to freeze that failed (decision 0036). A week, or a file that is to be written again, waits until `retry_at`, longer after each
-- failure, so that those which always fail keep no other from its turn.
alter table event_file_weeks add column failures integer not null default 0, add column retry_at timestamptz;
alter table event_files add column failures integer not null default 0, add column retry_at timestamptz;
