import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Metrics } from '../../src/runtime/metrics.ts'
import { markRoleLogins } from '../../src/runtime/postgres/role-logins.ts'
import { planSettings } from '../../src/runtime/postgres/settings.ts'
import { connectionsWanted, type ProcessCounts } from '../../src/store/connections-wanted.ts'
import { Database } from '../../src/store/db.ts'
import { isWatched } from '../../src/store/session-settings.ts'

const PAGE = join(import.meta.dirname, '../../docs/cluster.md')

const CLUSTER = { apiProcesses: 0, workerProcesses: 0, databaseConnections: 10, isWatched: true }

/** The connections that one more process, host or setting adds. */
function added(more: Partial<ProcessCounts>, base: ProcessCounts = CLUSTER): number {
  return connectionsWanted({ ...base, ...more }) - connectionsWanted(base)
}

test('the sum of the doctor is that of docs/cluster.md', async () => {
  const page = await readFile(PAGE, 'utf8')
  const [, beside, api, worker] =
    /max_connections ≥ (\d+) \+ machines × \(API processes × \(2 C \+ (\d+)\) \+ worker processes × \(2 C \+ (\d+)\)\)/.exec(
      page,
    ) ?? []
  assert.equal(connectionsWanted(CLUSTER), Number(beside))
  for (const databaseConnections of [6, 10, 200]) {
    const base = { ...CLUSTER, databaseConnections }
    assert.equal(added({ apiProcesses: 1 }, base), 2 * databaseConnections + Number(api))
    assert.equal(added({ workerProcesses: 1 }, base), 2 * databaseConnections + Number(worker))
  }
  assert.match(page, new RegExp(`^\\| an API process \\|.*\\| ${added({ apiProcesses: 1 })} \\|$`, 'm'))
  assert.match(page, new RegExp(`^\\| a worker process \\|.*\\| ${added({ workerProcesses: 1 })} \\|$`, 'm'))
})

test('servers over a network are watched with one connection, and those of the same machine are not', () => {
  const alone = { ...CLUSTER, isWatched: false }
  assert.equal(added({ apiProcesses: 1 }) - added({ apiProcesses: 1 }, alone), 1)
  for (const [url, watched] of [
    ['postgres://beckon@db1,db2/beckon', true],
    ['postgres://beckon@db1/beckon', true],
    ['postgres://beckon@127.0.0.1:5433/beckon', true],
    ['postgres:///beckon', false],
    ['postgres://beckon@/beckon?host=/run/postgresql', false],
    [markRoleLogins('postgres://postgres@127.0.0.1:5433/postgres'), false],
  ] as const)
    assert.equal(isWatched(url), watched, url)
})

/** The pools connect when they are asked, and nobody asks. */
test('a worker has as many connections as its pools may open, and one that listens', async () => {
  for (const databaseConnections of [2, 3, 5, 10]) {
    const metrics = new Metrics('test')
    const url = 'postgres://beckon@127.0.0.1:1/beckon'
    const database = new Database({ url, connectionsMax: databaseConnections, name: 'beckon test', metrics })
    const maxima = [...(await metrics.render()).matchAll(/^beckon_database_connections_max\{.*\} (\d+)$/gm)]
    await database.close()
    assert.equal(maxima.length, 4)
    const ofPools = maxima.reduce((sum, [, max]) => sum + Number(max), 0)
    const alone = { ...CLUSTER, databaseConnections, isWatched: false }
    assert.equal(added({ workerProcesses: 1 }, alone), ofPools + 1)
  }
})

test('the embedded server has enough for the most processes that a start chooses by itself', () => {
  const wanted = connectionsWanted({ ...CLUSTER, apiProcesses: 8, workerProcesses: 8, isWatched: false })
  const { max_connections: max } = planSettings({ memoryBytes: 2 ** 30 })
  assert.ok(Number(max) >= wanted, `${max} of ${wanted}`)
})
