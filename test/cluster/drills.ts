import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOwner } from '../../src/store/db.ts'
import { until } from '../support/until.ts'
import { watchEtcdGuard } from './etcd-guard.ts'
import { primaryOf } from './faults.ts'
import { databaseUrl, HOME, LAB_SECRET } from './lab/apps.ts'
import { DISKS } from './lab/folder.ts'
import type { Lab } from './lab/lab.ts'
import { Machine } from './lab/machine.ts'
import { type Host, HUB, NODES } from './lab/network.ts'
import { PASSWORD } from './lab/nodes.ts'
import { isWhole } from './lab/patroni.ts'
import { sh } from './lab/shell.ts'
import { goBackToOneServer } from './way-back.ts'

/** The rehearsals of docs/cluster.md beside the faults. Each returns a sentence of what it saw. */
export const DRILLS = [
  { name: 'pitr', says: 'back to a second before a brand was deleted', run: goBackInTime },
  { name: 'back', says: 'from the cluster to one server', run: goBackToOneServer },
  { name: 'move', says: 'from the embedded server into the cluster', run: moveIntoCluster },
  { name: 'patronictl', says: 'patronictl in a plain shell', run: usePatronictl },
  { name: 'guard', says: "the guard of etcd's leader", run: watchEtcdGuard },
] as const

const ARCHIVE = '/srv/backup'
/** The database of the cluster that gets the rows of the restored server. */
const BROUGHT_BACK = 'brought_back'
const REPLICATION_URL = `postgres://replicator:${PASSWORD}@${NODES.map(({ address }) => address).join(',')}/?target_session_attrs=read-write`

/**
 * A base copy, the changes since then, a brand deleted by mistake, and a server as of the second before. That server has no
 * standby and takes writes all the same, and its rows go back into the cluster.
 */
async function goBackInTime(lab: Lab): Promise<string> {
  const machine = await startBackupMachine()
  try {
    await machine.untilFile(`${ARCHIVE}/ready`, 'a base copy and the archive')
    const primary = await primaryOf(lab)
    const url = databaseUrl(primary.host, 'postgres')
    await beckon(['brand', 'create', 'mistaken'])
    const before = await withOwner(url, async (session) => {
      // The second before the mistake, by the clock that writes the commits.
      await session.query(`select pg_sleep(1.5)`)
      const { rows } = await session.query<{ now: string }>('select now()::text as now')
      await session.query(`select pg_sleep(1.5)`)
      return rows[0]?.now ?? ''
    })
    await beckon(['brand', 'delete', 'mistaken', '--confirm', 'mistaken'])
    assert.deepEqual(await brandsNamed(url), [], 'the brand is gone')
    await withOwner(url, async (session) => session.query('select pg_switch_wal()'))
    writeFileSync(machine.path(`${ARCHIVE}/target`), `recovery_target_time = '${before}'\n`)
    const restored = restoredUrl('postgres')
    await until(async () => (await brandsNamed(restored).catch(() => [])).length === 1, {
      what: 'the brand again',
    })
    const held = await beckon(['hold'], { ...CLUSTER, DATABASE_URL: restoredUrl('beckon') })
    assert.match(held, /Sending is held/)
    await bringBack(machine, primary.host)
    return `the brand is there as of ${before}, sending was held there, and the cluster has both again`
  } finally {
    await machine.cutPower()
  }
}

/** Copies the database of the restored server into a new one of the cluster, with the hold. */
async function bringBack(machine: Machine, primary: Host): Promise<void> {
  await withOwner(`postgres://postgres:${PASSWORD}@${primary.address}/postgres`, async (session) => {
    await session.query(`drop database if exists ${BROUGHT_BACK}`)
    await session.query(`create database ${BROUGHT_BACK} owner beckon`)
  })
  writeFileSync(machine.path(`${ARCHIVE}/bring-back`), '')
  await machine.untilFile(`${ARCHIVE}/back`, 'the rows in the cluster')
  const back = (user: string): string => databaseUrl(primary, user).replace(/beckon$/, BROUGHT_BACK)
  assert.equal((await brandsNamed(back('postgres'))).length, 1, 'the cluster has the brand again')
  const resumed = await beckon(['resume'], { ...CLUSTER, DATABASE_URL: back('beckon') })
  assert.match(resumed, /Sending goes on/)
}

async function brandsNamed(url: string): Promise<readonly string[]> {
  const { rows } = await withOwner(url, async (session) =>
    session.query<{ name: string }>(`select external_id as name from brands where external_id = 'mistaken'`),
  )
  return rows.map(({ name }) => name)
}

function restoredUrl(user: string): string {
  return `postgres://${user}:${PASSWORD}@${HUB.address}:5433/beckon`
}

/** The commands of docs/cluster.md, in the hub's namespace. */
async function startBackupMachine(): Promise<Machine> {
  const folder = join(DISKS, 'backup')
  await sh('rm', '-rf', folder)
  mkdirSync(folder, { recursive: true })
  const machine = new Machine({
    host: HUB,
    mounts: [{ target: ARCHIVE, source: folder, options: ['--bind'] }],
    environment: {
      A: ARCHIVE,
      URL: REPLICATION_URL,
      INTO: REPLICATION_URL.replace('replicator:', 'postgres:').replace('/?', `/${BROUGHT_BACK}?`),
      RESTORED: restoredUrl('postgres'),
    },
    script: BACKUP_SCRIPT,
  })
  await machine.start()
  return machine
}

const BACKUP_SCRIPT = `
set -e
chown postgres:postgres $A
as() { runuser -u postgres -- env PATH=/usr/lib/postgresql/18/bin:$PATH "$@"; }
as mkdir -p $A/wal
as pg_receivewal -D $A/wal --slot=archive --synchronous -d "$URL" &
as pg_basebackup -D $A/base --checkpoint=fast --wal-method=none -d "$URL"
touch $A/ready
while [ ! -s $A/target ]; do sleep 0.2; done
as cp -a $A/base $A/restored
rm -f $A/restored/standby.signal
as touch $A/restored/recovery.signal
cat >> $A/restored/postgresql.auto.conf <<END
restore_command = 'cp $A/wal/%f %p || cp $A/wal/%f.partial %p'
recovery_target_action = 'promote'
synchronous_standby_names = ''
port = 5433
listen_addresses = '*'
unix_socket_directories = '$A'
hba_file = '$A/restored/pg_hba.conf'
ident_file = '$A/restored/pg_ident.conf'
END
cat $A/target >> $A/restored/postgresql.auto.conf
as pg_ctl -D $A/restored -l $A/restored.log start
while [ ! -e $A/bring-back ]; do sleep 0.2; done
as pg_dump -Fc -d "$RESTORED" -f $A/dump
as pg_restore --exit-on-error -d "$INTO" $A/dump
touch $A/back
wait`

/** The commands of docs/cluster.md, as root without the settings of a service: etcd is found through patroni.yml. */
async function usePatronictl(lab: Lab): Promise<string> {
  const [first] = lab.nodes
  if (first === undefined) throw new Error('no database machine')
  const patronictl = async (...args: readonly string[]): Promise<string> =>
    first.run('patronictl', '-c', '/etc/beckon/patroni.yml', ...args)
  const listed = await patronictl('list')
  assert.equal(listed.match(/\| Leader /g)?.length, 1, listed)
  assert.equal(listed.match(/\| Quorum Standby /g)?.length, 2, listed)
  const { host } = await primaryOf(lab)
  await patronictl('switchover', '--force')
  await until(isWhole, { what: 'three nodes that stream' })
  const after = await primaryOf(lab)
  assert.notEqual(after.host.name, host.name)
  return `list has a leader and two quorum standbys; switchover went from ${host.name} to ${after.host.name}`
}

/** A Beckon with an embedded server stops; its rows go into an empty database of the cluster, where it goes on. */
async function moveIntoCluster(lab: Lab): Promise<string> {
  const primary = await primaryOf(lab)
  const folder = join(DISKS, 'embedded')
  const file = join(DISKS, 'move.backup')
  await sh('rm', '-rf', folder, `${folder}-new`, file)
  await withOwner(`postgres://postgres:${PASSWORD}@${primary.host.address}/postgres`, async (session) => {
    await session.query('drop database if exists moved')
    await session.query('create database moved owner beckon')
  })
  const brand = {
    BECKON_BRAND_ID: 'acme',
    BECKON_API_KEY: 'a-key-of-the-move',
    BECKON_SANDBOX: 'off',
    PORT: '18081',
  }
  const before = { ...brand, BECKON_DATA_DIR: folder }
  const old = await startBeckon(before)
  const headers = {
    'x-brand-id': 'acme',
    'x-api-key': 'a-key-of-the-move',
    'content-type': 'application/json',
  }
  const nv = Array.from({ length: MOVED_EVENTS }, (_, index) => ({
    userID: `p-${index}`,
    event_name: 'seen',
    attributes: {},
  }))
  const reply = await fetch('http://127.0.0.1:18081/api/event', {
    method: 'POST',
    headers,
    body: JSON.stringify({ nv }),
  })
  assert.equal(reply.status, 200)

  const stoppedAt = performance.now()
  await stopBeckon(old)
  await beckon(['backup', file], before)
  const databaseName = databaseUrl(primary.host).replace(/beckon$/, 'moved')
  const after = { ...brand, DATABASE_URL: databaseName, BECKON_DATA_DIR: `${folder}-new` }
  assert.match(await beckon(['restore', file, '--hold'], after), /Sending is held/)
  const moved = await startBeckon(after)
  const seconds = ((performance.now() - stoppedAt) / 1_000).toFixed(1)
  const { rows } = await withOwner(
    databaseUrl(primary.host, 'postgres').replace(/beckon$/, 'moved'),
    async (session) => session.query<{ count: number }>('select count(*)::integer as count from events'),
  )
  assert.equal(rows[0]?.count, MOVED_EVENTS)
  assert.match(await beckon(['resume'], after), /Sending goes on/)
  await stopBeckon(moved)
  return `${MOVED_EVENTS} events; no calls for ${seconds} s, from the stop to the first ready process; held, then resumed`
}

const MOVED_EVENTS = 1_000

async function startBeckon(settings: Settings): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(HOME, 'src/main.ts'), 'start'], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: 'ignore',
  })
  await until(async () => (await fetch('http://127.0.0.1:18081/readyz').catch(() => null))?.ok === true, {
    what: 'Beckon',
    giveUp: once(child, 'close').then(() => new Error('it ended')),
  })
  return child
}

async function stopBeckon(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

type Settings = Readonly<Record<string, string>>

/** A command of Beckon against the cluster, or where the settings say. */
async function beckon(args: readonly string[], settings: Settings = CLUSTER): Promise<string> {
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  // A commit that waits for a standby that never comes would wait for ever.
  return sh('timeout', '120', 'env', ...given, process.execPath, join(HOME, 'src/main.ts'), ...args)
}

const CLUSTER: Settings = {
  DATABASE_URL: databaseUrl(HUB),
  BECKON_SECRET: LAB_SECRET,
  BECKON_DATA_DIR: join(DISKS, 'command'),
}
