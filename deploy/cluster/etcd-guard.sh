#!/bin/sh
# Keeps the leader of etcd off the machine of the primary. When a machine that is both is frozen and wakes, its etcd takes itself for the
# leader for a moment, and ends the leases that have run out by its own clock. One of them may be that of the new primary: the woken
# Patroni then takes the lock, the new primary steps down, and what was committed there is lost. An etcd that is not the leader ends no
# lease. Runs beside Patroni, with the settings of node.env. Patroni also calls it when PostgreSQL changes its role (patroni.yml), with
# three words: the event, the new role and the name of the cluster. So a new primary does not wait for the next look.
# The status is read by the names of its fields, because its columns differ between versions of etcdctl. The first columns of `member list`
# are the same in all of them: the id in hexadecimal digits, and `started`.
leading() {
  status=$(etcdctl endpoint status --write-out=fields 2> /dev/null)
  own=$(echo "$status" | sed -n 's/^"MemberID" : //p')
  [ -n "$own" ] && [ "$own" = "$(echo "$status" | sed -n 's/^"Leader" : //p')" ] && printf %x "$own"
}
is_primary() { python3 -c "import urllib.request; urllib.request.urlopen('http://$PATRONI_RESTAPI_CONNECT_ADDRESS/primary', timeout=2)" 2> /dev/null; }

hand_over() {
  own=$(leading)
  [ -n "$own" ] || return 0
  for member in $(etcdctl member list | grep -v "^$own, " | sed -n 's/, started, .*//p'); do
    etcdctl move-leader "$member" && break
  done
}

if [ $# -gt 0 ]; then
  [ "$2" != primary ] || hand_over
  exit 0
fi
while sleep 3; do
  if [ -n "$(leading)" ] && is_primary; then hand_over; fi
done
