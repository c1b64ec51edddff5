import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { HttpServer } from '../../src/http/edge/server.ts'
import { LiveHub } from '../../src/http/live/hub.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { LIVE_LIMITS } from '../../src/rules/live.ts'
import { collectGarbage } from '../../src/runtime/processes/collect-garbage.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { openLive, type ServerEvent, type TestStream, valueIn } from '../support/live/streams.ts'
import { call, keyHeaders, type RunningServer, startServer } from '../support/processes/server.ts'
import { idIn, push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

async function start(): Promise<RunningServer> {
  const server = await startServer()
  after(server.close)
  return server
}

/** Another API process on the same database. */
async function startBeside({
  deps,
}: RunningServer): Promise<{ readonly port: number; readonly http: HttpServer }> {
  const { sandbox, receipts } = deps
  const virtual = { sandbox, receipts }
  const live = new LiveHub({ ...deps, hasSandbox: sandbox.isPresent, virtual, random: () => 0 })
  const http = new HttpServer({ ...deps, live }, ROUTES, { quietMs: 20, loopDelayMaxMs: 60_000 })
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
  return { port, http }
}

async function meterOf({ deps }: RunningServer, name: string): Promise<number> {
  const text = await deps.renderMetrics()
  return Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

test('a thousand streams cost one read for each look, bounded memory, and no place of a request', async () => {
  const server = await start()
  const [brand, other] = [await server.brand(), await server.brand()]
  const { database } = server.deps
  await seedSubscriptions(database, { brandId: brand.brandId, userId: 'ann', count: 3 })
  const id = idIn(await push(server.port, brand, { mode: 'all' }))
  const given = { subjects: `notification:${id}`, headers: keyHeaders(brand) }
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  const begunAt = performance.now()
  const before = await meterOf(server, 'beckon_live_looks_total')
  const streams: TestStream[] = []
  while (streams.length < LIVE_LIMITS.brandStreamsMax) {
    streams.push(...(await Promise.all(Array.from({ length: 50 }, async () => openLive(server.port, given)))))
  }
  await Promise.all(streams.map(async (stream) => stream.named('notification')))
  assert.equal(await meterOf(server, 'beckon_live_streams'), LIVE_LIMITS.brandStreamsMax)
  assert.equal(await meterOf(server, 'beckon_http_requests_in_flight'), 0)
  collectGarbage()
  const now = process.memoryUsage()
  // Both ends of each connection are in this process.
  const bytes = (now.heapUsed + now.external - heapUsed - external) / streams.length
  assert.ok(bytes < 200_000, `${Math.round(bytes)} bytes for each stream`)

  const refused = await call(server.port, {
    path: `/api/v1/live?subjects=${given.subjects}`,
    headers: given.headers,
  })
  assert.deepEqual([refused.status, refused.body['code']], [429, 'too_many_streams'])
  const foreign = await openLive(server.port, { subjects: 'overview', headers: keyHeaders(other) })
  assert.equal(foreign.status, 200)
  foreign.close()

  await drain(database)
  await Promise.all(
    streams.map(async (stream) => stream.until((one) => valueIn(one, 'progress.accepted') === 3)),
  )
  const looks = (await meterOf(server, 'beckon_live_looks_total')) - before
  // A look of the feed and a question whether the subject exists, each once a second at most; and the other brand's.
  const looksMax = 2 * ((performance.now() - begunAt) / LIVE_LIMITS.everyMs + 1) + 2
  assert.ok(looks <= looksMax, `${looks} looks, at most ${looksMax}`)

  for (const stream of streams) stream.close()
  await until(async () => (await meterOf(server, 'beckon_live_streams')) === 0, { what: 'all streams end' })
})

test('a reader that does not read is closed, and the others miss nothing', async () => {
  const server = await start()
  const brand = await server.brand()
  const given = { subjects: 'events', headers: keyHeaders(brand) }
  const [slow, quick] = [await openLive(server.port, given), await openLive(server.port, given)]
  await Promise.all([slow.named('listening'), quick.named('listening')])
  slow.pause()
  const padding = Object.fromEntries(Array.from({ length: 190 }, (_, at) => [`p${at}`, 'x'.repeat(250)]))
  let told = 0
  while ((await meterOf(server, 'beckon_live_streams')) === 2) {
    const entries = Array.from({ length: 15 }, () => entryOf({ attributes: { n: (told += 1), ...padding } }))
    await logEntries(server.port, brand, entries)
    await quick.until((one) => numberOf(one) === told)
  }
  const seen = quick.events.filter(({ event }) => event === 'event').map(numberOf)
  assert.deepEqual(
    seen,
    Array.from({ length: told }, (_, at) => at + 1),
  )
  quick.close()
  slow.close()
})

test('at a stop every reader is told to come back, and goes on at another process without loss or repeat', async () => {
  const server = await start()
  const brand = await server.brand()
  const next = await startBeside(server)
  after(async () => next.http.stop())
  const given = { subjects: 'events,overview', headers: keyHeaders(brand) }
  const first = await openLive(server.port, given)
  await first.named('listening')
  await logNumber(next.port, brand, 1)
  await first.until((one) => numberOf(one) === 1)
  await server.server.stop()
  assert.equal((await first.named('closed')).data['reason'], 'stopping')
  await first.ended
  await logNumber(next.port, brand, 2)
  const headers = { ...given.headers, 'last-event-id': first.lastId }
  const second = await openLive(next.port, { ...given, headers })
  await second.named('listening')
  await logNumber(next.port, brand, 3)
  await second.until((one) => numberOf(one) === 3)
  assert.deepEqual(numbersIn(second), [2, 3])
  second.close()
})

test('a reader that moves to a process that is a look behind sees nothing twice', async () => {
  const server = await start()
  const brand = await server.brand()
  const beside = await startBeside(server)
  after(async () => beside.http.stop())
  const given = { subjects: 'events', headers: keyHeaders(brand) }
  const [here, there] = [await openLive(server.port, given), await openLive(beside.port, given)]
  await Promise.all([here.named('listening'), there.named('listening')])
  for (const n of [1, 3]) {
    await logNumber(server.port, brand, n)
    // Whichever process shows the event first, the reader goes to the other.
    const isHere = await Promise.race([
      here.until((one) => numberOf(one) === n).then(() => true),
      there.until((one) => numberOf(one) === n).then(() => false),
    ])
    const headers = { ...given.headers, 'last-event-id': (isHere ? here : there).lastId }
    const moved = await openLive(isHere ? beside.port : server.port, { ...given, headers })
    await moved.named('listening')
    await logNumber(server.port, brand, n + 1)
    await moved.until((one) => numberOf(one) === n + 1)
    assert.deepEqual(numbersIn(moved), [n + 1])
    moved.close()
    await Promise.all([here, there].map(async (one) => one.until((event) => numberOf(event) === n + 1)))
  }
  for (const stream of [here, there]) stream.close()
})

async function logNumber(port: number, brand: TestBrand, n: number): Promise<void> {
  await logEntries(port, brand, [entryOf({ attributes: { n } })])
}

function numberOf(one: ServerEvent): unknown {
  return valueIn(one, 'event.attributes.n')
}

function numbersIn({ events }: TestStream): readonly unknown[] {
  return events.filter(({ event }) => event === 'event' || event === 'gap').map(numberOf)
}
