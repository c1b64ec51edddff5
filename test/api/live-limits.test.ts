import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import type { LiveSubject } from '../../src/domain/live/subject.ts'
import { LIVE_LIMITS } from '../../src/rules/live.ts'
import type { TestBrand } from '../support/database/database.ts'
import { openLive, type TestStream } from '../support/live/streams.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer({
  liveBounds: { streamsMax: 5, brandStreamsMax: 3, feedsMax: 4, brandFeedsMax: 2 },
})
after(server.close)

/** The streams of one test. */
const opened: TestStream[] = []
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.close()
  await until(async () => /^beckon_live_streams\{[^}]*\} 0$/m.test(await server.deps.renderMetrics()), {
    what: 'the end of all streams',
  })
})

async function open(brand: TestBrand, subjects: string): Promise<TestStream> {
  const stream = await openLive(server.port, { subjects, headers: keyHeaders(brand) })
  opened.push(stream)
  assert.equal(stream.status, 200, stream.text)
  await stream.named('open')
  return stream
}

async function refused(brand: TestBrand, subjects: string): Promise<Answer> {
  const answer = await call(server.port, {
    path: `/api/v1/live?subjects=${subjects}`,
    headers: keyHeaders(brand),
  })
  assert.notEqual(answer.status, 200)
  return answer
}

function subjectOf(id: number): LiveSubject {
  return { kind: 'journey', id: BigInt(id), name: `journey:${id}` }
}

test('429 for one subject more than a brand may have; a subject that is read already costs nothing', async () => {
  const brand = await server.brand()
  const first = await open(brand, 'overview,events')
  const answer = await refused(brand, 'virtual_devices')
  assert.deepEqual([answer.status, answer.body['code']], [429, 'too_many_streams'])
  assert.match(String(answer.body['message']), /\b2 live subjects\b/)
  await open(brand, 'events')
  first.close()
  await until(() => server.deps.live.refusalFor(brand.brandId, [subjectOf(1)]) === null, {
    what: 'the place of the overview',
  })
  await open(brand, 'events,virtual_devices')
})

test('429 for one stream more than a brand may have, and 503 for one more than the process has', async () => {
  const [one, two, three] = [await server.brand(), await server.brand(), await server.brand()]
  for (const brand of [one, one, one]) await open(brand, 'events')
  const answer = await refused(one, 'events')
  assert.deepEqual([answer.status, answer.body['code']], [429, 'too_many_streams'])
  assert.match(String(answer.body['message']), /\b3 live streams\b/)
  for (const brand of [two, two]) await open(brand, 'events')
  const busy = await refused(three, 'events')
  assert.deepEqual([busy.status, busy.body['code']], [503, 'overloaded'])
  opened[0]?.close()
  await until(() => server.deps.live.refusalFor(three.brandId, []) === null, {
    what: 'the place of a stream',
  })
  await open(three, 'events')
})

test('503 for a subject more than the process reads', async () => {
  const [one, two, three] = [await server.brand(), await server.brand(), await server.brand()]
  for (const brand of [one, two]) await open(brand, 'events,overview')
  const busy = await refused(three, 'events')
  assert.deepEqual([busy.status, busy.body['code']], [503, 'overloaded'])
})

test('without other bounds a process takes 200 subjects of a brand, and not one more', async (context) => {
  const { streamsMax, brandStreamsMax, brandFeedsMax } = LIVE_LIMITS
  assert.deepEqual([streamsMax, brandStreamsMax, brandFeedsMax], [2_000, 1_000, 200])
  const usual = await startServer()
  context.after(usual.close)
  const { live } = usual.deps
  assert.deepEqual({ ...LIVE_LIMITS, ...live.bounds }, LIVE_LIMITS)
  const subjects = Array.from({ length: brandFeedsMax + 1 }, (_, at) => subjectOf(at))
  assert.equal(live.refusalFor(1, subjects), 'subjects')
  assert.equal(live.refusalFor(1, subjects.slice(1)), null)
})
