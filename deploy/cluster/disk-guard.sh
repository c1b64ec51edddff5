#!/bin/sh
# Hands over to a standby before the disk of the primary is full. PostgreSQL on a full disk goes on and refuses each write, so
# Patroni sees a healthy primary and leaves it where it is. Runs beside Patroni, with the settings of node.env.
DATA=/var/lib/postgresql/beckon
FREE_MIB_MIN=${FREE_MIB_MIN:-512}
# All three disks may be full: then handing over helps nobody, and is not tried again for a while.
REST_SECONDS=600

while sleep 2; do
  free=$(df --output=avail --block-size=M "$DATA" | tail -n 1 | tr -dc 0-9)
  if [ "$free" -ge "$FREE_MIB_MIN" ]; then continue; fi
  # Patroni refuses this on a standby.
  if patronictl -c /etc/beckon/patroni.yml switchover beckon --leader "$PATRONI_NAME" --force; then
    echo "handed over: $free MiB free in $DATA"
    sleep "$REST_SECONDS"
  else
    sleep 10
  fi
done
