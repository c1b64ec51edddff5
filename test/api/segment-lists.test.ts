import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseJson } from '../../src/domain/values/json.ts'
import { runSegmentSizes } from '../../src/pipeline/segments/sizes.ts'
import { IMPORT_LIMITS } from '../../src/rules/limits.ts'
import { SEGMENT_LIMITS } from '../../src/rules/segments.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { claimSizes, noteSize, purgeSizes } from '../../src/store/segments/sizes.ts'
import type { TestBrand } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const PATH = '/api/v1/segments'
const DAY_MS = 86_400_000

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const ask = async (path: string, body?: object): Promise<Answer> =>
  call(server.port, { path, headers: keyHeaders(brand), ...(body === undefined ? {} : { body }) })

async function newSegment(filter: object): Promise<bigint> {
  const { body } = await ask(PATH, { name: 'list', filter })
  return BigInt(String(Object(body['segment']).segment_id))
}

async function importCsv(
  id: bigint,
  csv: string,
): Promise<{ status: number; last: Record<string, unknown> }> {
  const headers = { ...keyHeaders(brand), 'content-type': 'text/csv' }
  const answer = await call(server.port, { path: `${PATH}/${id}/import`, headers, body: csv })
  return { status: answer.status, last: Object(parseJson(answer.text.trim().split('\n').at(-1) ?? '{}')) }
}

async function sizeOf(id: bigint): Promise<unknown> {
  return Object((await ask(`${PATH}/${id}`)).body['segment']).size
}

test('200: whoever is listed belongs to the segment, beside those whom its filter finds', async () => {
  const { database } = server.deps
  const { brandId } = brand
  for (const userId of ['ann', 'bob', 'cid', 'dan']) await seedSubscriptions(database, { brandId, userId })
  const id = await newSegment({ users: ['dan'] })
  const csv = 'name,User_ID\nA,ann\nB, bob \nC,nobody\nD,\nE,ann\nF,a\u0000b\n'
  const first = await importCsv(id, csv)
  assert.equal(first.status, 200)
  const report = Object(first.last['report'])
  assert.deepEqual(
    [first.last['processed'], report.rows, report.imported, report.updated, report.refused],
    [3, 6, 3, 0, 3],
  )
  assert.deepEqual(
    report.refusals.map(({ line, code }: { line: number; code: string }) => [line, code]),
    [
      [4, 'profile_not_found'],
      [5, 'field_missing'],
      [7, 'field_invalid'],
    ],
  )
  const [shown] = Array.from(Object((await ask(PATH)).body['segments']), Object)
  assert.equal(shown.size, 3, 'it is counted once the list is in, and nobody has to read it for that')
  assert.equal(await sizeOf(id), 3)
  const again = Object((await importCsv(id, csv)).last['report'])
  assert.deepEqual([again.imported, again.updated], [0, 3])
  const { filter } = Object((await ask(`${PATH}/${id}`)).body['segment'])
  assert.deepEqual(
    filter,
    { any: [{ tag: `segment:${id}` }, { users: ['dan'] }] },
    'the list is taken in once',
  )
  assert.equal(await sizeOf(id), 3)
})

test('200: a long list is stored in batches, with progress after each', async () => {
  const id = await newSegment({ users: [] })
  const rows = IMPORT_LIMITS.batchRows * 2 + 1
  const csv = `user_id\n${Array.from({ length: rows }, (_, place) => `u${place}`).join('\n')}\n`
  const { last } = await importCsv(id, csv)
  const report = Object(last['report'])
  assert.deepEqual(
    [report.rows, report.refused, report.refusals.length],
    [rows, rows, IMPORT_LIMITS.refusalsMax],
  )
})

test('404 for a segment that is not there, 415 for what is no CSV', async () => {
  assert.equal((await importCsv(42n, 'user_id\na\n')).status, 404)
  const id = await newSegment({ users: [] })
  const { status, body } = await ask(`${PATH}/${id}/import`, { user_id: 'a' })
  assert.deepEqual([status, body['code']], [415, 'unsupported_list'])
})

test('the size is counted once a day, and shown oldest first', async () => {
  const { database } = server.deps
  const { brandId } = brand
  await seedSubscriptions(database, { brandId, tags: ['vip'], count: 3 })
  const id = await newSegment({ tag: 'vip' })
  const archived = await newSegment({ tag: 'vip' })
  await ask(`${PATH}/${archived}/archive`, {})
  const now = Date.now()
  for (const [days, size] of [
    [2, 7],
    [1, 5],
  ] as const) {
    const at = now - days * DAY_MS
    const mine = (await claimSizes(database, { now: at, count: 1_000, leaseMs: 1_000 })).filter(
      (claimed) => claimed.brandId === brandId,
    )
    assert.deepEqual(mine, [{ brandId, id }])
    await noteSize(database, { brandId, id, size, now: at })
    const repeated = await claimSizes(database, { now: at, count: 1_000, leaseMs: 1_000 })
    assert.ok(!repeated.some((claimed) => claimed.brandId === brandId))
  }
  const stop = new AbortController()
  const host = { signal: stop.signal, log: memoryLog(), meters: loopMeters(new Metrics('test')) }
  // The day of the test, also if midnight comes meanwhile.
  const running = runSegmentSizes({ database, clock: { now: () => now } }, host)
  const sizes = async (): Promise<readonly { day: string; size: number }[]> =>
    Array.from(Object((await ask(`${PATH}/${id}/sizes`)).body['sizes']))
  await until(async () => (await sizes()).length === 3, { what: 'the count of today' })
  stop.abort()
  await running
  const today = new Date(now).toISOString().slice(0, 10)
  const shown = await sizes()
  assert.deepEqual(
    shown.map(({ size }) => size),
    [7, 5, 3],
  )
  assert.equal(shown.at(-1)?.day, today)
  assert.equal((await ask(`${PATH}/${id}/sizes?days=1`)).body['processed'], 1)
  assert.equal((await ask(`${PATH}/77/sizes`)).status, 404)
})

test('a count that was begun and not done is taken up by another, and old sizes are forgotten', async () => {
  const { database } = server.deps
  const { brandId } = brand
  const id = await newSegment({ users: [] })
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const old = today - (SEGMENT_LIMITS.sizeDaysKept + 2) * DAY_MS
  const claim = { count: 1_000, leaseMs: 60_000 }
  const isMine = (claimed: { readonly brandId: number }): boolean => claimed.brandId === brandId
  assert.equal((await claimSizes(database, { ...claim, now: old })).filter(isMine).length, 1)
  assert.equal((await claimSizes(database, { ...claim, now: old + 59_000 })).filter(isMine).length, 0)
  assert.equal((await claimSizes(database, { ...claim, now: old + 61_000 })).filter(isMine).length, 1)
  await noteSize(database, { brandId, id, size: 1, now: old })
  assert.ok((await purgeSizes(database, { now: Date.now(), rowsMax: 1_000 })) > 0)
  assert.deepEqual((await ask(`${PATH}/${id}/sizes`)).body['sizes'], [])
})
