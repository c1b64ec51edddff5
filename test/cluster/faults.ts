import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { fieldsOf } from './fields.ts'
import { READ_LAG_MS } from './lab/apps.ts'
import { isReady, type Lab } from './lab/lab.ts'
import { type Machine, signalEach } from './lab/machine.ts'
import { join, NODES, part, setCable } from './lab/network.ts'
import { DATABASE_DISK, ETCD_OFF } from './lab/nodes.ts'
import { findPrimary, switchOver, waitForPrimary } from './lab/patroni.ts'
import { sh } from './lab/shell.ts'
import { countReadersOf } from './load/questions.ts'
import type { World } from './load/world.ts'
import { rollUpgrade, startOldVersion } from './upgrade.ts'

/** Undoes a fault. */
type Heal = () => Promise<void>

export type Fault = {
  readonly name: string
  readonly says: string
  /** The longest time without an acknowledged write that is allowed; null if writes must be refused until it is healed. */
  readonly gapMaxMs: number | null
  /** Makes Beckon anew before the load begins, and returns the new fixed part of the load. */
  readonly prepare?: (lab: Lab) => Promise<World>
  /** Causes it, waits as long as it lasts, and says how to heal it. `onCut` is called when writes can no longer succeed. */
  readonly cause: (lab: Lab, onCut: () => void) => Promise<Heal>
}

const CRASH_MAX_MS = 5_000
const MACHINE_MAX_MS = 35_000
/** Load on the new primary before the old one comes back. */
const AFTERWARDS_MS = 8_000
const NOTHING: Heal = async () => undefined

/** One row a fault, in the order of a whole run. */
export const FAULTS: readonly Fault[] = [
  { name: 'postgres', says: 'postmaster killed', gapMaxMs: CRASH_MAX_MS, cause: killPostmaster },
  { name: 'switchover', says: 'planned switchover', gapMaxMs: CRASH_MAX_MS, cause: planSwitchover },
  { name: 'power', says: 'machine dies', gapMaxMs: MACHINE_MAX_MS, cause: cutPower },
  { name: 'network', says: 'network lost', gapMaxMs: MACHINE_MAX_MS, cause: pullCable },
  { name: 'isolate', says: 'primary cut off, clients reach it', gapMaxMs: MACHINE_MAX_MS, cause: isolate },
  { name: 'freeze', says: 'machine frozen and woken', gapMaxMs: MACHINE_MAX_MS, cause: freeze },
  { name: 'standby', says: 'standby dies', gapMaxMs: CRASH_MAX_MS, cause: killStandby },
  { name: 'etcd', says: 'etcd leader dies', gapMaxMs: CRASH_MAX_MS, cause: killEtcdLeader },
  { name: 'disk', says: 'disk of the primary full', gapMaxMs: MACHINE_MAX_MS, cause: fillDisk },
  {
    name: 'worker',
    says: 'worker machine cut off for a minute',
    gapMaxMs: MACHINE_MAX_MS,
    cause: cutOffWorker,
  },
  // Two switchovers: clocks that differ must not make them longer. The machines that are lost meanwhile are a standby and one of two
  // that run Beckon, and neither of them stops writes.
  { name: 'clock', says: 'clock of one machine 5 min off', gapMaxMs: CRASH_MAX_MS, cause: setClocksOff },
  {
    name: 'upgrade',
    says: 'rolling upgrade with migrations',
    gapMaxMs: CRASH_MAX_MS,
    prepare: startOldVersion,
    cause: upgrade,
  },
  { name: 'majority', says: 'loss of the majority', gapMaxMs: null, cause: loseMajority },
]

async function killPostmaster(lab: Lab): Promise<Heal> {
  const primary = await primaryOf(lab)
  const [postmaster] = await primary.pids(`^/usr/lib/postgresql/18/bin/postgres -D`)
  if (postmaster === undefined) throw new Error('no postmaster')
  process.kill(postmaster, 'SIGKILL')
  await wait(AFTERWARDS_MS)
  return NOTHING
}

async function planSwitchover(lab: Lab): Promise<Heal> {
  const { host } = await primaryOf(lab)
  await switchOver(host)
  await wait(AFTERWARDS_MS)
  return NOTHING
}

async function cutPower(lab: Lab): Promise<Heal> {
  const primary = await primaryOf(lab)
  await primary.cutPower()
  await untilAnother(primary)
  return async () => primary.start()
}

async function pullCable(lab: Lab): Promise<Heal> {
  const primary = await primaryOf(lab)
  await setCable(primary.host, 'down')
  await untilAnother(primary)
  return async () => setCable(primary.host, 'up')
}

async function isolate(lab: Lab): Promise<Heal> {
  const primary = await primaryOf(lab)
  const others = NODES.filter(({ name }) => name !== primary.host.name)
  await part(primary.host, others)
  await untilAnother(primary)
  return async () => join(primary.host, others)
}

/**
 * A frozen machine that was the primary and the leader of etcd may take the lock back when it wakes (decision 0024), so the guard of
 * etcd's leader has to act first. What it has had no time for is not tried.
 */
async function freeze(lab: Lab): Promise<Heal> {
  const primary = await primaryOf(lab)
  await leadEtcd(lab, primary)
  await until(
    async () => {
      const leader = await findEtcdLeader(lab)
      return leader !== null && leader !== primary
    },
    { what: 'the leader of etcd to leave the machine of the primary' },
  )
  await primary.signalAll('SIGSTOP')
  await untilAnother(primary)
  return async () => primary.signalAll('SIGCONT')
}

/**
 * The other standby, which Beckon reads from if it reads from one, confirms commits but does not replay them for longer than a read may
 * be behind: the primary must answer.
 */
async function killStandby(lab: Lab): Promise<Heal> {
  const primary = await primaryOf(lab)
  const standbys = lab.nodes.filter((node) => node !== primary)
  const readers = await Promise.all(standbys.map(countReadersOf))
  const other = standbys[readers.indexOf(Math.max(...readers))] ?? primary
  const standby = last(standbys.filter((node) => node !== other))
  await standby.cutPower()
  // Patroni would end a pause that PostgreSQL is asked for.
  const replay = await other.pids('^postgres: .*startup recovering')
  signalEach(replay, 'SIGSTOP')
  await wait(READ_LAG_MS + AFTERWARDS_MS)
  return async () => {
    signalEach(replay, 'SIGCONT')
    await standby.start()
  }
}

async function killEtcdLeader(lab: Lab): Promise<Heal> {
  const leader = await waitForEtcdLeader(lab)
  writeFileSync(leader.path(ETCD_OFF), '')
  for (const pid of await leader.pids('^etcd$')) process.kill(pid, 'SIGKILL')
  await wait(AFTERWARDS_MS)
  return async () => rmSync(leader.path(ETCD_OFF))
}

async function fillDisk(lab: Lab): Promise<Heal> {
  const primary = await primaryOf(lab)
  const { bavail, bsize } = statfsSync(primary.path(DATABASE_DISK))
  const ballast = primary.path(`${DATABASE_DISK}/ballast`)
  await sh('fallocate', '-l', String(bavail * bsize), ballast)
  await untilAnother(primary)
  return async () => rmSync(ballast)
}

async function cutOffWorker({ apps }: Lab): Promise<Heal> {
  const worker = last(apps)
  await setCable(worker.host, 'down')
  await wait(60_000)
  return async () => setCable(worker.host, 'up')
}

/** The clock of the database goes 5 minutes ahead, with a standby that becomes the primary, and that of a worker 5 minutes back. */
async function setClocksOff(lab: Lab): Promise<Heal> {
  const worker = last(lab.apps)
  const standby = await standbyOf(lab)
  const old = await primaryOf(lab)
  await restart(worker, { FAKE_OFFSET: '-300s' })
  await restart(standby, { FAKE_OFFSET: '+300s' })
  await until(async () => isReady(worker.host), { what: 'the worker with another clock' })
  await untilStreams(standby)
  await switchOver(old.host, standby.host)
  await wait(AFTERWARDS_MS)
  return async () => {
    await restart(worker)
    // Patroni refuses a candidate whose commits the primary does not wait for yet.
    await untilStreams(old)
    await switchOver(standby.host, old.host)
    await restart(standby)
    await until(async () => isReady(worker.host), { what: 'the worker' })
  }
}

async function upgrade(lab: Lab): Promise<Heal> {
  await rollUpgrade(lab)
  await wait(AFTERWARDS_MS)
  return NOTHING
}

async function loseMajority(lab: Lab, onCut: () => void): Promise<Heal> {
  const primary = await primaryOf(lab)
  const others = lab.nodes.filter((node) => node !== primary)
  await Promise.all(others.map(async (node) => node.cutPower()))
  onCut()
  await wait(30_000)
  return async () => {
    await Promise.all(others.map(async (node) => node.start()))
  }
}

/** Waits until another node is the primary, and some time more. */
async function untilAnother(old: Machine): Promise<void> {
  await until(
    async () => {
      const primary = await findPrimary([old.host])
      return primary !== null && primary.name !== old.host.name
    },
    { what: 'another primary' },
  )
  await wait(AFTERWARDS_MS)
}

async function untilStreams({ host }: Machine): Promise<void> {
  await until(
    async () => (await fetch(`http://${host.address}:8008/quorum`).catch(() => null))?.ok === true,
    { what: `${host.name} as a standby` },
  )
}

async function restart(machine: Machine, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  await machine.cutPower()
  await machine.start(environment)
}

export async function primaryOf({ nodes }: Lab): Promise<Machine> {
  const { name } = await waitForPrimary()
  const machine = nodes.find(({ host }) => host.name === name)
  if (machine === undefined) throw new Error(`no machine ${name}`)
  return machine
}

export async function standbyOf(lab: Lab): Promise<Machine> {
  const primary = await primaryOf(lab)
  return last(lab.nodes.filter((node) => node !== primary))
}

/** Makes the etcd of this machine the leader. */
export async function leadEtcd(lab: Lab, machine: Machine): Promise<void> {
  await until(
    async () => {
      const leader = await findEtcdLeader(lab)
      if (leader === machine) return true
      if (leader === null) return false
      const { memberId } = await askEtcd(machine, 'status', {})
      await askEtcd(leader, 'transfer-leadership', { targetID: memberId })
      return false
    },
    { what: `the etcd of ${machine.host.name} to lead` },
  )
}

async function waitForEtcdLeader(lab: Lab): Promise<Machine> {
  for (let look = 0; look < ETCD_LOOKS_MAX; look += 1) {
    const leader = await findEtcdLeader(lab)
    if (leader !== null) return leader
    await wait(ETCD_LOOK_MS)
  }
  throw new Error('etcd has no leader')
}

/** The machine whose etcd takes itself for the leader; null while there is none, or no etcd answers. */
export async function findEtcdLeader({ nodes }: Lab): Promise<Machine | null> {
  for (const node of nodes) {
    const { memberId, leader } = await askEtcd(node, 'status', {})
    if (leader !== undefined && leader === memberId) return node
  }
  return null
}

/** An etcd that does not answer, as one that is being moved away from, knows neither. */
async function askEtcd(
  { host }: Machine,
  what: 'status' | 'transfer-leadership',
  body: object,
): Promise<{ readonly memberId?: unknown; readonly leader?: unknown }> {
  const reply = await fetch(`http://${host.address}:2379/v3/maintenance/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ETCD_MS),
  }).catch(() => null)
  if (reply?.ok !== true) return {}
  const { header, leader } = fieldsOf(await reply.json())
  return { memberId: fieldsOf(header)['member_id'], leader }
}

const ETCD_MS = 2_000
const ETCD_LOOK_MS = 200
const ETCD_LOOKS_MAX = 300

function last(machines: readonly Machine[]): Machine {
  const machine = machines.at(-1)
  if (machine === undefined) throw new Error('no machine')
  return machine
}
