-- Push services that turn a channel away while others take what it sends: the newest few, as {host, reason, since, at}.
alter table channels add column refused_hosts jsonb not null default '[]';
