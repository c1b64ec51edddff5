import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { askPaths } from '../../src/intake/events/walks.ts'
import { DuckDbError } from '../../src/runtime/duckdb/duckdb-error.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import type { TestBrand } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { type AskedLines, questionLines } from '../support/events/question-lines.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

/** Stands still before its next statement, after it has told of progress as a statement would that takes long. */
class PausingDuckDb extends DuckDbProcess {
  #pause: { readonly shares: readonly number[]; readonly begun: Begun; readonly end: Promise<void> } | null =
    null

  pause(shares: readonly number[]): { readonly begun: Begun['promise']; readonly release: () => void } {
    const begun: Begun = Promise.withResolvers()
    const end = Promise.withResolvers<void>()
    this.#pause = { shares, begun, end: end.promise }
    return { begun: begun.promise, release: end.resolve }
  }

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    const pause = this.#pause
    this.#pause = null
    for (const share of pause?.shares ?? []) options.onProgress?.(share)
    pause?.begun.resolve(options.signal)
    await pause?.end
    return super.run(statement, options)
  }
}

type Begun = PromiseWithResolvers<AbortSignal | undefined>

/** Fails in the middle of a statement. */
class FailingDuckDb extends DuckDbProcess {
  override async run(
    ...[, { onProgress }]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    onProgress?.(0.6)
    throw new DuckDbError('failed', 'a broken file')
  }
}

const opened = await openFiles()
const { folder, scratch } = opened.eventFiles
const plan = { folder, scratch: scratch.folder, memoryMib: 512, threads: 2, access: 'read' } as const
const duckdb = new PausingDuckDb({ ...plan, idleMs: 60_000 })
const files = { ...opened, eventFiles: { ...opened.eventFiles, duckdb } }
const { lines, eventFiles } = files
const server = await startServer({ deps: { eventFiles } })
const frozen = await openFrozen({ url: server.url, database: server.deps.database }, files)
after(async () => {
  await server.close()
  await frozen.close()
})

const from = new Date(OLD_WEEK.startsAt - 30 * DAY_MS).toISOString()
const to = new Date(Date.now() + DAY_MS).toISOString()

const QUESTIONS = [
  { name: 'a question', path: '/api/v1/events/query', body: { by: [{ event: 'name' }], from, to } },
  { name: 'a funnel', path: '/api/v1/events/funnel', body: { steps: ['see', 'buy'], within: 60, from, to } },
  { name: 'a retention', path: `/api/v1/events/retention?from=${from}&to=${to}` },
  { name: 'paths', path: `/api/v1/events/paths?event_name=see&from=${from}&to=${to}` },
] as const

type Question = (typeof QUESTIONS)[number]

/** The same question with its progress. */
function withProgress(question: Question): AskedLines {
  if ('body' in question) return { path: question.path, body: { ...question.body, progress: true } }
  return { path: `${question.path}&progress=true` }
}

/** Two frozen weeks. */
async function brandWithFiles(): Promise<TestBrand> {
  const brand = await server.brand()
  const events = [rawEvent(1), rawEvent(2), rawEvent(3, { receivedAt: OLD_WEEK.startsAt + WEEK_MS })]
  await frozen.store(brand.brandId, events)
  await frozen.round()
  return brand
}

for (const question of QUESTIONS) {
  test(`${question.name} to files tells how many of the frozen weeks were read`, async () => {
    const brand = await brandWithFiles()
    const { path, ...others } = question
    const plain = await call(server.port, { path, headers: keyHeaders(brand), ...others })
    const paused = duckdb.pause([0, 0.4, 0.6])
    let weeks: unknown = null
    let last: JsonObject = {}
    for await (const line of questionLines({ port: server.port, brand }, withProgress(question))) {
      last = line
      if (!isJsonObject(line['progress'])) continue
      const { weeks_read: read, weeks: of } = line['progress']
      if (of === null) continue
      // Later lines tell of the progress of the statement itself, which takes long on a slow machine.
      weeks ??= [read, of]
      paused.release()
    }
    assert.deepEqual(weeks, [1, 2])
    assert.deepEqual({ ...last, request_id: null }, { ...plain.body, request_id: null })
    assert.deepEqual(lines, [])
  })

  test(`${question.name} to files ends when its caller hangs up`, async () => {
    const brand = await brandWithFiles()
    const paused = duckdb.pause([])
    const caller = new AbortController()
    const { signal } = caller
    const asked = Array.fromAsync(
      questionLines({ port: server.port, brand, signal }, withProgress(question)),
    ).catch((cause: unknown) => cause)
    const statement = await paused.begun
    caller.abort()
    await asked
    await until(() => statement?.aborted === true, { what: 'the end of the statement' })
    paused.release()
    assert.deepEqual(lines, [])
  })
}

test('200 with a cost that counts on files for frozen weeks, and on rows for all others', async () => {
  const brand = await brandWithFiles()
  const count = async (at: number): Promise<unknown> =>
    server.deps.database.query(
      `insert into series (brand_id, metric, minutes, starts_at, platform, campaign_id, journey_id, step, name, count)
       values ($1, 'events', 60, date_trunc('hour', $2::timestamptz), '', 0, 0, '', 'see', 15000000)`,
      [brand.brandId, new Date(at)],
    )
  const estimate = async (): Promise<unknown> => {
    const body = { from, to, dry_run: true }
    return (await call(server.port, { path: '/api/v1/events/query', headers: keyHeaders(brand), body })).body[
      'estimate'
    ]
  }
  await count(OLD_WEEK.startsAt + DAY_MS)
  const filed = { events: 15_000_000, seconds: 5, seconds_max: 30, is_above_limit: false }
  assert.deepEqual(await estimate(), filed)
  await count(Date.now())
  const both = { events: 30_000_000, seconds: 35, seconds_max: 30, is_above_limit: true }
  assert.deepEqual(await estimate(), both)
})

test('weeks that DuckDB told are not known any more when it fails', async () => {
  const brand = await brandWithFiles()
  const told: unknown[] = []
  const range = { fromAt: Date.parse(from), toAt: Date.parse(to) }
  const query = {
    brandId: brand.brandId,
    startEvent: 'see',
    depth: 2,
    withinMs: DAY_MS,
    ...range,
    pathsMax: 5,
  }
  const { signal } = new AbortController()
  const failing = { ...eventFiles, duckdb: new FailingDuckDb({ ...plan, idleMs: 60_000 }) }
  const deps = { database: server.deps.database, eventFiles: failing }
  const { users } = await askPaths(deps, query, { signal, tell: (weeks) => told.push(weeks) })
  assert.equal(users, 2)
  assert.deepEqual(told, [{ read: 1, of: 2 }, null])
  assert.match(lines.splice(0).join(''), /rows are read instead/)
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
      await call(server.port, {
        path: `/api/v1/events/stats?by=attribute&attribute=sku&from=${from}&to=${to}`,
        headers,
      }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    return answers.map(({ body }) => ({ ...body, request_id: null }))
  }
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
