-- Run once on the primary, as postgres, with the password of beckon.env in place of the word between the two @: the database
-- of Beckon and its user.
create role beckon login createrole password '@BECKON@';
create database beckon owner beckon;
grant set on parameter session_replication_role to beckon;
-- Beckon sees with it whether a standby confirms commits, and warns when none does.
grant pg_monitor to beckon;
