-- Workers mend the statistics of the queue themselves while it is long (QueueStatistics). Those that autovacuum makes are often of
-- a moment in which the queue was empty, and PostgreSQL then takes it for empty however long it has become.
grant maintain on chunks to beckon_engine;
