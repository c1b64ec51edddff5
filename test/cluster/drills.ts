import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { withOwner } from '../../src/store/db.ts'
import { until } from '../support/until.ts'
import { goBackInTime } from './back-in-time.ts'
import { beckon, type Settings } from './command.ts'
import { watchEtcdGuard } from './etcd-guard.ts'
import { primaryOf } from './faults.ts'
import { databaseUrl, HOME } from './lab/apps.ts'
import { DISKS } from './lab/folder.ts'
import type { Lab } from './lab/lab.ts'
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
