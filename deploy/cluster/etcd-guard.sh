#!/bin/sh
# Keeps the leader of etcd off the machine of the primary. When a machine that is both is frozen and wakes, its etcd takes itself for the
# leader for a moment, and ends the leases that have run out by its own clock. One of them may be that of the new primary: the woken
# Patroni then takes the lock, the new primary steps down, and what was committed there is lost. An etcd that is not the leader ends no
# lease. Runs beside Patroni, with the settings of node.env.
is_leader() {
  status=$(etcdctl endpoint status --write-out=fields 2> /dev/null) || return 1
  [ "$(echo "$status" | sed -n 's/^"MemberID" : //p')" = "$(echo "$status" | sed -n 's/^"Leader" : //p')" ]
}
is_primary() { python3 -c "import urllib.request; urllib.request.urlopen('http://$PATRONI_RESTAPI_CONNECT_ADDRESS/primary', timeout=2)" 2> /dev/null; }
others() { etcdctl member list | grep -v ", $ETCD_NAME, " | sed -n 's/, started, .*//p'; }

while sleep 3; do
  if ! is_leader || ! is_primary; then continue; fi
  for member in $(others); do
    etcdctl move-leader "$member" && break
  done
done
