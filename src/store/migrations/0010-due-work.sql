-- Two queues of due work, each with an index that holds its rows and no others: sends to one subscriber are released
-- many at a time, everything else is planned one by one.
drop index notifications_due;
create index notifications_due_sends on notifications (plan_at)
  where plan_at is not null and mode = 'send' and wall is null;
create index notifications_due_plans on notifications (plan_at)
  where plan_at is not null and (mode <> 'send' or wall is not null);
