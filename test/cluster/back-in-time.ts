import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOwner } from '../../src/store/db.ts'
import { until } from '../support/until.ts'
import { beckon, CLUSTER } from './command.ts'
import { primaryOf } from './faults.ts'
import { databaseUrl, saveAccess } from './lab/apps.ts'
import { DISKS } from './lab/folder.ts'
import { type Lab, untilServing } from './lab/lab.ts'
import { keptFolder, Machine } from './lab/machine.ts'
import { HUB, NODES } from './lab/network.ts'
import { PASSWORD } from './lab/nodes.ts'
import { isWhole, switchOver, waitForPrimary } from './lab/patroni.ts'
import { newAccess } from './lab/providers.ts'
import { sh } from './lab/shell.ts'
import { blockWith, commandsAfter } from './page.ts'
import { SUPERVISOR } from './upgrade.ts'

const BACKUPS = '/backups'
/** The database that the page keeps under another name. */
const MISTAKEN = 'beckon_mistaken'

/**
 * The commands of docs/cluster.md: a base copy, the changes since then, also over a switchover, a brand deleted by mistake, and a
 * server as of the second before. That server has no standby and takes writes all the same, and its rows go back into the cluster.
 */
export async function goBackInTime(lab: Lab): Promise<string> {
  const { first, always, nightly, restore, hold, bringBack } = commandsOfThePage()
  const machine = await startBackupMachine({ FIRST: first, ALWAYS: always })
  try {
    await machine.untilFile(`${BACKUPS}/ready`, 'the folder of the changes')
    await runAsPostgres(machine, nightly)
    const old = await primaryOf(lab)
    await switchOver(old.host)
    await until(isWhole, { what: 'three nodes that stream' })
    const before = await makeMistake(machine)
    const dated = restore
      .replace(/base-\d{4}-\d\d-\d\d/, 'base-*')
      .replace(/(recovery_target_time = ')[^']*/, `$1${before}`)
    await runAsPostgres(machine, dated)
    await until(async () => (await brandsNamed(RESTORED).catch(() => [])).length === 1, {
      what: 'the brand again',
    })
    assert.match(await beckon(['hold'], { ...CLUSTER, DATABASE_URL: hold }), /Sending is held/)
    for (const app of lab.apps) await app.shutDown(SUPERVISOR)
    await runAsPostgres(machine, bringBack)
    await goOn(lab)
    return `the brand is there as of ${before}, a switchover after the base copy; sending was held there, and the cluster works on with both`
  } finally {
    await machine.cutPower()
  }
}

/** Deletes a brand; the answer is a second before, by the clock that writes the commits. */
async function makeMistake(machine: Machine): Promise<string> {
  const url = databaseUrl(await waitForPrimary(), 'postgres')
  await beckon(['brand', 'create', 'mistaken'])
  const before = await withOwner(url, async (session) => {
    await session.query(`select pg_sleep(1.5)`)
    const { rows } = await session.query<{ now: string }>('select now()::text as now')
    await session.query(`select pg_sleep(1.5)`)
    return rows[0]?.now ?? ''
  })
  await beckon(['brand', 'delete', 'mistaken', '--confirm', 'mistaken'])
  assert.deepEqual(await brandsNamed(url), [], 'the brand is gone')
  const { rows } = await withOwner(url, async (session) => {
    const place = await session.query<{ file: string }>(
      'select pg_walfile_name(pg_current_wal_lsn()) as file',
    )
    await session.query('select pg_switch_wal()')
    return place
  })
  const file = machine.path(`${BACKUPS}/wal/${rows[0]?.file ?? ''}`)
  await until(() => existsSync(file), { what: 'the changes on the backup machine' })
  return before
}

/** Beckon starts on the rows that came back, and sends again. */
async function goOn({ apps, providers }: Lab): Promise<void> {
  // APNs takes another token of the same key after 20 minutes only, and the rows may have one from before.
  await saveAccess(newAccess(providers.sandbox))
  for (const app of apps) await app.start()
  await untilServing()
  const primary = await waitForPrimary()
  const url = databaseUrl(primary, 'postgres')
  assert.equal((await brandsNamed(url)).length, 1, 'the cluster has the brand again')
  assert.deepEqual(await brandsNamed(url.replace(/beckon$/, MISTAKEN)), [], 'the other database is kept')
  assert.match(await beckon(['resume']), /Sending goes on/)
  await withOwner(url.replace(/beckon$/, 'postgres'), async (session) =>
    session.query(`drop database ${MISTAKEN}`),
  )
}

async function brandsNamed(url: string): Promise<readonly string[]> {
  const { rows } = await withOwner(url, async (session) =>
    session.query<{ name: string }>(`select external_id as name from brands where external_id = 'mistaken'`),
  )
  return rows.map(({ name }) => name)
}

/** The port is that of the page. The backup machine shares the hub's network. */
const RESTORED = `postgres://postgres:${PASSWORD}@127.0.0.1:5433/beckon`

/** The commands of the section. The copy that always runs and the nightly one stand in one block, each after a comment. */
function commandsOfThePage() {
  const blocks = commandsAfter('## Go back in time')
  const backup = blockWith(blocks, /pg_receivewal/)
  const [first = '', always = '', nightly = ''] = backup.split(/^# .*\n/m)
  assert.match(always, /^pg_receivewal/)
  assert.match(nightly, /^pg_basebackup/)
  const restore = blockWith(blocks, /recovery_target_time/)
  const [, hold = ''] = /^DATABASE_URL=(\S+) bin\/beckon hold$/m.exec(blockWith(blocks, /beckon hold/)) ?? []
  return { first, always, nightly, restore, hold, bringBack: blockWith(blocks, /pg_restore/) }
}

async function runAsPostgres(machine: Machine, commands: string): Promise<void> {
  const path = 'PATH=/usr/lib/postgresql/18/bin:/usr/bin:/bin'
  await machine.run('runuser', '-u', 'postgres', '--', 'env', path, 'sh', '-ec', commands)
}

/** A machine in the hub's network on which the copy of the changes always runs. */
async function startBackupMachine(environment: Readonly<Record<string, string>>): Promise<Machine> {
  const folders = [BACKUPS, '/srv'].map((target) => ({ target, source: join(DISKS, `backup${target}`) }))
  await sh('rm', '-rf', join(DISKS, 'backup'))
  for (const { source } of folders) mkdirSync(source, { recursive: true })
  const hosts = join(keptFolder(HUB, 'etc'), 'hosts-of-the-backups')
  writeFileSync(
    hosts,
    ['127.0.0.1 localhost', ...NODES.map(({ name, address }) => `${address} ${name}`), ''].join('\n'),
  )
  const machine = new Machine({
    host: HUB,
    mounts: [...folders, { target: '/etc/hosts', source: hosts }].map((mount) => ({
      ...mount,
      options: ['--bind'],
    })),
    environment,
    script: SCRIPT,
  })
  await machine.start()
  return machine
}

/** The loop stands for a unit with Restart=always. */
const SCRIPT = `
set -e
chown postgres:postgres ${BACKUPS} /srv
as() { runuser -u postgres -- env PATH=/usr/lib/postgresql/18/bin:$PATH sh -ec "$1"; }
as "$FIRST"
touch ${BACKUPS}/ready
while :; do as "$ALWAYS" || true; sleep 1; done`
