-- Run once on the primary, as postgres, with the password of beckon.env in place of the word between the two @: the user of
-- Beckon and its database.
create role beckon login createrole password '@BECKON@';
grant set on parameter session_replication_role to beckon;
-- Beckon sees with it whether a standby confirms commits, and warns when none does.
grant pg_monitor to beckon;
-- The last statement, so that all is done when there is a database.
create database beckon owner beckon;
