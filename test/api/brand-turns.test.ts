import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ROUTES } from '../../src/http/routes.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { LoopShare, type LoopSlice } from '../../src/runtime/limits/loop-share.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)

const [busy, other] = [await server.brand(), await server.brand()]

async function log(brand: TestBrand, entries: number): Promise<Answer> {
  const attributes = { note: 'x'.repeat(200) }
  const entry = { userID: 'ann', event_name: 'order', attributes }
  const body = { nv: Array.from({ length: entries }, () => entry) }
  return call(server.port, { path: '/api/event', headers: keyHeaders(brand), body })
}

async function send(brand: TestBrand): Promise<Answer> {
  const body = { user_id: 'nobody', title: 't', message: 'm' }
  return call(server.port, { path: '/api/v1/android/send', headers: keyHeaders(brand), body })
}

const exported = async (brand: TestBrand): Promise<Answer> =>
  call(server.port, { path: '/api/v1/events/export', headers: keyHeaders(brand) })

/** Calls `meanwhile` while a place is taken for the busy brand, and says whether `waiting` had to wait for its end. */
async function whileTaken(
  take: (work: () => Promise<void>) => Promise<void>,
  waiting: () => Promise<Answer>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: taken, resolve: hasTaken } = Promise.withResolvers<void>()
  const holding = take(async () => {
    hasTaken()
    await held
  })
  await taken
  let isDone = false
  const late = waiting().then((answer) => {
    isDone = true
    return answer
  })
  await meanwhile()
  assert.equal(isDone, false, 'the busy brand did not wait for its turn')
  release()
  await holding
  assert.equal((await late).status, 200)
}

test('the turns of the loop: a brand’s large calls wait for each other, its small ones and other brands do not', async () => {
  const { loopShare } = server.deps
  await whileTaken(
    async (work) => loopShare.run({ key: String(busy.brandId) }, work),
    async () => log(busy, 1_000),
    async () => {
      assert.equal((await log(other, 1_000)).status, 200)
      assert.equal((await log(busy, 10)).status, 200)
      assert.equal((await send(other)).status, 404)
    },
  )
})

test('the pages of exports: those of one brand wait for each other, and those of another do not', async () => {
  const { exports } = server.deps
  await whileTaken(
    async (work) => exports.run({ key: String(busy.brandId) }, work),
    async () => exported(busy),
    async () => {
      const { status, text } = await exported(other)
      assert.deepEqual([status, text.trim().split('\n').length], [200, 1_000])
    },
  )
})

test('every list of events has a lane, so that a brand’s lists leave connections to others', () => {
  const lists = ROUTES.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/v1/events'))
  assert.ok(lists.length >= 6)
  for (const { path, lane } of lists) assert.equal(lane, 'reads', path)
})

test('a body is parsed in its brand’s turn from 64 KiB on', async () => {
  assert.equal(LIMITS.sharedBodyBytesMin, 64 * 1024)
  const { loopShare } = server.deps
  const pad = 'x'.repeat(LIMITS.sharedBodyBytesMin)
  const large = { nv: [{ userID: 'ann', event_name: 'order', attributes: {} }], pad }
  await whileTaken(
    async (work) => loopShare.run({ key: String(busy.brandId) }, work),
    async () => call(server.port, { path: '/api/event', headers: keyHeaders(busy), body: large }),
    async () => {
      assert.equal((await send(busy)).status, 404)
      assert.equal((await log(other, 1_000)).status, 200)
    },
  )
})

/** Counts how often a long computation offers the loop to others. */
class CountedShare extends LoopShare {
  passes = 0

  override async run<Value>(
    request: Parameters<LoopShare['run']>[0],
    work: (slice: LoopSlice) => Promise<Value>,
  ): Promise<Value> {
    return super.run(request, async ({ pass }) =>
      work({
        pass: async () => {
          this.passes += 1
          await pass()
        },
      }),
    )
  }
}

test('the costliest known call of events offers the loop to others after each entry', async (context) => {
  const loopShare = new CountedShare()
  const counted = await startServer({ deps: { loopShare } })
  context.after(counted.close)
  // As in bench/support/worst-found.json, with fewer bytes.
  const attributes = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`k${at}`, 'y'.repeat(200)]))
  const nv = Array.from({ length: 1_000 }, () => ({ userID: 'u', event_name: 'order placed', attributes }))
  const headers = keyHeaders(await counted.brand())
  const { status, body } = await call(counted.port, { path: '/api/event', headers, body: { nv } })
  assert.deepEqual([status, body['processed']], [200, 1_000])
  assert.ok(loopShare.passes >= 1_000, String(loopShare.passes))
})
