import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withOwner } from '../../src/store/db.ts'
import { until } from '../support/until.ts'
import { primaryOf } from './faults.ts'
import { databaseUrl, HOME, LAB_SECRET } from './lab/apps.ts'
import { DISKS } from './lab/folder.ts'
import type { Lab } from './lab/lab.ts'
import { Machine } from './lab/machine.ts'
import { HUB, NODES } from './lab/network.ts'
import { PASSWORD } from './lab/nodes.ts'
import { sh } from './lab/shell.ts'

/** The rehearsals of docs/cluster.md beside the faults. Each returns a sentence of what it saw. */
export const DRILLS = [
  { name: 'pitr', says: 'back to a second before a brand was deleted', run: goBackInTime },
  { name: 'move', says: 'from the embedded server into the cluster', run: moveIntoCluster },
] as const

const ARCHIVE = '/srv/backup'
const REPLICATION_URL = `postgres://replicator:${PASSWORD}@${NODES.map(({ address }) => address).join(',')}/?target_session_attrs=read-write`

/** A base copy, the changes since then, a brand deleted by mistake, and a server as of the second before. */
async function goBackInTime(lab: Lab): Promise<string> {
  const machine = await startBackupMachine()
  try {
    await until(() => existsSync(machine.path(`${ARCHIVE}/ready`)), { what: 'a base copy and the archive' })
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
    const { address } = HUB
    await sh('sh', '-c', `echo "recovery_target_time = '${before}'" > ${machine.path(`${ARCHIVE}/target`)}`)
    const restored = `postgres://postgres:${PASSWORD}@${address}:5433/beckon`
    await until(async () => (await brandsNamed(restored).catch(() => [])).length === 1, {
      what: 'the brand again',
    })
    return `the brand is there as of ${before}`
  } finally {
    await machine.cutPower()
  }
}

async function brandsNamed(url: string): Promise<readonly string[]> {
  const { rows } = await withOwner(url, async (session) =>
    session.query<{ name: string }>(`select external_id as name from brands where external_id = 'mistaken'`),
  )
  return rows.map(({ name }) => name)
}

/** The commands of docs/cluster.md, in the hub's namespace. */
async function startBackupMachine(): Promise<Machine> {
  const folder = join(DISKS, 'backup')
  await sh('rm', '-rf', folder)
  mkdirSync(folder, { recursive: true })
  const machine = new Machine({
    host: HUB,
    mounts: [{ target: ARCHIVE, source: folder, options: ['--bind'] }],
    environment: { URL: REPLICATION_URL, A: ARCHIVE },
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
while [ ! -e $A/target ]; do sleep 0.2; done
as cp -a $A/base $A/restored
rm -f $A/restored/standby.signal
as touch $A/restored/recovery.signal
cat >> $A/restored/postgresql.auto.conf <<END
restore_command = 'cp $A/wal/%f %p || cp $A/wal/%f.partial %p'
recovery_target_action = 'promote'
END
cat $A/target >> $A/restored/postgresql.auto.conf
as postgres -D $A/restored -p 5433 -k $A -c listen_addresses='*' \\
  -c hba_file=$A/restored/pg_hba.conf -c ident_file=$A/restored/pg_ident.conf`

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
  return sh('env', ...given, process.execPath, join(HOME, 'src/main.ts'), ...args)
}

const CLUSTER: Settings = {
  DATABASE_URL: databaseUrl(HUB),
  BECKON_SECRET: LAB_SECRET,
  BECKON_DATA_DIR: join(DISKS, 'command'),
}
