import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import type { WeeksRead } from '../../src/domain/events/week-parts.ts'
import { measureFiles } from '../../src/intake/events/measure.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { DAY_MS, OLD_WEEK, openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const files = await openFiles()
const { lines, eventFiles } = files
const server = await startServer({ deps: { eventFiles } })
const frozen = await openFrozen({ url: server.url, database: server.deps.database }, files)
after(async () => {
  await server.close()
  await frozen.close()
})

const from = new Date(OLD_WEEK.startsAt - 30 * DAY_MS).toISOString()
const to = new Date(Date.now() + DAY_MS).toISOString()

/** Tells of progress as a statement would that takes long. */
class TellingDuckDb extends DuckDbProcess {
  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    for (const share of [0, 0.4, 0.6, 1]) options.onProgress?.(share)
    return super.run(statement, options)
  }
}

test('a question to files tells how many of the frozen weeks were read', async () => {
  const { brandId } = await server.brand()
  const events = [rawEvent(1), rawEvent(2), rawEvent(3, { receivedAt: OLD_WEEK.startsAt + WEEK_MS })]
  await frozen.store(brandId, events)
  await frozen.round()
  const { folder, scratch } = eventFiles
  const plan = { folder, scratch: scratch.folder, memoryMib: 512, threads: 2, access: 'read' } as const
  const duckdb = new TellingDuckDb({ ...plan, idleMs: 60_000 })
  const [fromAt, toAt] = [Date.parse(from), Date.parse(to)]
  const told: WeeksRead[] = []
  const question = {
    brandId,
    measure: 'count',
    attribute: null,
    eventName: null,
    where: [],
    people: null,
    percentile: 0.5,
    parts: [],
    groupsMax: 5,
    edges: [fromAt, toAt],
    spansBefore: 0,
    fromAt,
    toAt,
    now: Date.now(),
  } as const
  const { signal } = new AbortController()
  const deps = { database: server.deps.database, eventFiles: { ...eventFiles, duckdb } }
  const cells = await measureFiles(deps, { question, signal, tell: (weeks) => told.push(weeks) })
  await duckdb.close()
  assert.deepEqual(
    cells?.map(({ value }) => value),
    [3, 3],
  )
  assert.deepEqual(told, [
    { read: 0, of: 2 },
    { read: 0, of: 2 },
    { read: 1, of: 2 },
    { read: 2, of: 2 },
  ])
})

test('200 with the same answers from files, from rows beside them, and without files', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  const old = Array.from({ length: 40 }, (_, place) => rawEvent(place))
  await frozen.store(brand.brandId, [...old, rawEvent(99, { receivedAt: Date.now(), name: 'buy' })])
  await frozen.round()
  const ask = async (): Promise<readonly unknown[]> => {
    const query = { measure: 'sum', attribute: 'total', by: [{ attribute: 'sku' }], from, to, every: 'week' }
    const funnel = { steps: ['buy', 'see'], within: 3600, from, to }
    const answers = [
      await call(server.port, { method: 'POST', path: '/api/v1/events/query', headers, body: query }),
      await call(server.port, { method: 'POST', path: '/api/v1/events/funnel', headers, body: funnel }),
      await call(server.port, {
        method: 'GET',
        path: `/api/v1/events/retention?start_event=buy&unit=week&from=${from}&to=${to}`,
        headers,
      }),
      await call(server.port, {
        method: 'GET',
        path: `/api/v1/events/paths?event_name=buy&from=${from}&to=${to}`,
        headers,
      }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    return answers.map(({ body }) => ({ ...body, request_id: null }))
  }
  assert.equal(eventFiles.duckdb.pid, null)
  const both = await ask()
  assert.deepEqual(lines, [])
  const { pid } = eventFiles.duckdb
  assert.ok(pid !== null, 'DuckDB was asked')
  process.kill(pid, 'SIGKILL')
  assert.deepEqual(await ask(), both, 'a DuckDB that ended is started again, or rows answer')
  await rm(frozen.folder, { recursive: true })
  assert.deepEqual(await ask(), both)
  assert.ok(lines.length > 0, 'the log says that files could not be asked')
})
