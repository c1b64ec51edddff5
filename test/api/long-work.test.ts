import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { replySuccess } from '../../src/http/reply.ts'
import { param } from '../../src/http/request.ts'
import type { TenantRoute } from '../../src/http/route.ts'
import { withOwner } from '../../src/store/db.ts'
import type { TestBrand } from '../support/database/database.ts'
import { cancelWaiting, countWaiting, whileEventsAreLocked } from '../support/events/locked-events.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
after(server.close)

const DOERS = { event: 'order', count: { gte: 2 }, within_days: 30 }

const preview = async (brand: TestBrand): Promise<Answer> =>
  call(server.port, {
    path: '/api/v1/segments/preview',
    headers: keyHeaders(brand),
    body: { filter: DOERS },
  })

const broadcast = async (brand: TestBrand): Promise<Answer> =>
  call(server.port, {
    path: '/api/v1/android/broadcast/all',
    headers: keyHeaders(brand),
    body: { title: 't', message: 'm' },
  })

test('a brand that asks for very much at once keeps neither another brand nor itself from sending', async () => {
  const [greedy, other] = [await server.brand(), await server.brand()]
  const asked: Promise<Answer>[] = []
  let answered = 0
  await whileEventsAreLocked(server.url, async (owner) => {
    asked.push(...Array.from({ length: 100 }, async () => preview(greedy).finally(() => (answered += 1))))
    await until(async () => (await countWaiting(owner)) === 2, { what: 'two are at work' })
    // Two at work and 32 in line. A request that came after the end of the work would find a place.
    await until(() => answered >= 66, { what: 'the refusal of the others' })
    for (const brand of [other, greedy]) {
      const sent = await broadcast(brand)
      assert.equal(sent.status, 200, sent.text)
    }
    asked.push(preview(other))
    await until(async () => (await countWaiting(owner)) === 3, { what: 'the other brand is at work' })
  })
  const answers = await Promise.all(asked)
  assert.equal(answers.at(-1)?.status, 200)
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(refused.length, 66)
  // Every refusal says when to come back.
  assert.ok(refused.every(({ body, headers }) => body['code'] === 'overloaded' && 'retry-after' in headers))
})

test('422 for a read that takes too long, because it would again; 503 for a broadcast', async () => {
  const brand = await server.brand()
  await whileEventsAreLocked(server.url, async (owner) => {
    const asked = preview(brand)
    await until(async () => (await countWaiting(owner)) === 1, { what: 'it is at work' })
    await cancelWaiting(owner)
    const { status, body } = await asked
    assert.deepEqual([status, body['code']], [422, 'takes_too_long'])
  })
  await withOwner(server.url, async (owner) => {
    await owner.query('begin; lock table notifications in access exclusive mode')
    const asked = broadcast(brand)
    await until(async () => (await countWaiting(owner)) === 1, { what: 'it is at work' })
    await cancelWaiting(owner)
    const { status, body } = await asked
    assert.deepEqual([status, body['code']], [503, 'overloaded'])
    await owner.query('rollback')
  })
})

test('whoever hung up while they waited is not worked for', async (t) => {
  const brand = await server.brand()
  const worked: string[] = []
  const open = Promise.withResolvers<void>()
  const slow: TenantRoute = {
    method: 'GET',
    path: '/slow/{name}',
    group: 'Test',
    summary: 'Slow',
    scopes: ['push'],
    body: 'none',
    lane: 'reads',
    handler: async (_, request) => {
      worked.push(param(request, 'name'))
      await open.promise
      return replySuccess({})
    },
  }
  const own = await startServer({ routes: [slow], deps: { database: server.deps.database } })
  t.after(async () => {
    open.resolve()
    await own.close()
  })
  const ask = async (name: string): Promise<Answer> =>
    call(own.port, { path: `/slow/${name}`, headers: keyHeaders(brand) })
  const stayed = ['a', 'b'].map(ask)
  await until(() => worked.length === 2, { what: 'both places are taken' })
  const headers = Object.entries(keyHeaders(brand)).map(([name, value]) => `${name}: ${value}\r\n`)
  const left = connect(own.port, '127.0.0.1')
  left.write(`GET /slow/c HTTP/1.1\r\nhost: x\r\n${headers.join('')}\r\n`)
  // Each answer on another connection tells that what came before it was read too.
  await call(own.port, { path: '/nothing' })
  left.destroy()
  await call(own.port, { path: '/nothing' })
  stayed.push(ask('d'))
  open.resolve()
  const answers = await Promise.all(stayed)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  // The first two came at once, on two connections, in either order.
  assert.deepEqual(worked.toSorted(), ['a', 'b', 'd'])
})
