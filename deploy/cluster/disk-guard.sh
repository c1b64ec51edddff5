#!/bin/sh
# Hands over to a standby when the disk of the primary is nearly full. PostgreSQL on a full disk goes on and refuses each write,
# so Patroni sees a healthy primary and leaves it where it is. To stop in good order PostgreSQL needs some space: a file
# keeps it, and is deleted first. Runs beside Patroni, with the settings of node.env.
DATA=/var/lib/postgresql/beckon
RESERVE=$DATA/reserve
RESERVE_MIB=${RESERVE_MIB:-256}
FREE_MIB_MIN=${FREE_MIB_MIN:-512}
# All three disks may be full: then handing over helps nobody, and is not tried again for a while, unless this disk has space again.
REST_SECONDS=600
rest_until=0

free_mib() { df --output=avail --block-size=M "$DATA" | tail -n 1 | tr -dc 0-9; }
is_primary() { python3 -c "import urllib.request; urllib.request.urlopen('http://$PATRONI_RESTAPI_CONNECT_ADDRESS/primary', timeout=2)" 2> /dev/null; }

while sleep 2; do
  if [ "$(free_mib)" -ge $((FREE_MIB_MIN + RESERVE_MIB)) ]; then
    [ -e "$RESERVE" ] || fallocate -l "${RESERVE_MIB}M" "$RESERVE"
    rest_until=0
    continue
  fi
  if [ "$(free_mib)" -ge "$FREE_MIB_MIN" ] || [ "$(date +%s)" -lt "$rest_until" ] || ! is_primary; then continue; fi
  echo "$(date -u) $(free_mib) MiB free in $DATA: handing over"
  rm -f "$RESERVE"
  patronictl -c /etc/beckon/patroni.yml switchover beckon --leader "$PATRONI_NAME" --force
  sleep 5
  is_primary || rest_until=$(($(date +%s) + REST_SECONDS))
done
