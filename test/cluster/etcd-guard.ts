import assert from 'node:assert/strict'
import { until } from '../support/until.ts'
import { findEtcdLeader, leadEtcd, primaryOf, standbyOf } from './faults.ts'
import type { Lab } from './lab/lab.ts'
import { signalEach } from './lab/machine.ts'
import { isWhole, switchOver } from './lab/patroni.ts'

/**
 * A standby whose machine has the leader of etcd becomes the primary, while the loop of its guard is stopped: only Patroni
 * calls the guard.
 */
export async function watchEtcdGuard(lab: Lab): Promise<string> {
  const old = await primaryOf(lab)
  const next = await standbyOf(lab)
  const loop = await next.pids('^sh /etc/beckon/etcd-guard.sh$')
  assert.ok(loop.length > 0, 'the guard runs')
  signalEach(loop, 'SIGSTOP')
  try {
    await leadEtcd(lab, next)
    await switchOver(old.host, next.host)
    const promotedAt = performance.now()
    await until(
      async () => {
        const leader = await findEtcdLeader(lab)
        return leader !== null && leader !== next
      },
      { what: 'the leader of etcd to leave the new primary' },
    )
    const ms = Math.round(performance.now() - promotedAt)
    assert.equal((await primaryOf(lab)).host.name, next.host.name)
    return `without its loop the leader of etcd left ${next.host.name} ${ms} ms after the answer to the switchover`
  } finally {
    signalEach(loop, 'SIGCONT')
    await until(isWhole, { what: 'three nodes that stream' })
  }
}
