-- Why the size of a segment was not counted, and why a journey was not scanned, the last time; null if it was. The events that were
-- needed had no rows any more, and were too many (decision 0040).
alter table segments add column size_reason text check (length(size_reason) <= 100);
alter table journeys add column scan_reason text check (length(scan_reason) <= 100);
