import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { planOrPostpone } from '../../src/delivery/planner.ts'
import { scanJourney } from '../../src/pipeline/journeys/scans.ts'
import { sizeSegment } from '../../src/pipeline/segments/sizes.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { JourneyPlans } from '../../src/store/journeys/plans.ts'
import { findScans } from '../../src/store/journeys/scans.ts'
import { claimPlans, type PlanClaim } from '../../src/store/push/planning.ts'
import { claimSizes } from '../../src/store/segments/sizes.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { freshDatabase, type TestBrand } from '../support/database/database.ts'
import { DAY_MS, openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { REMIND } from '../support/journeys/journeys.ts'
import { apiOf, startJourney } from '../support/journeys/runs.ts'
import { memoryLog } from '../support/memory-log.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn, push } from '../support/push/calls.ts'

const { url, database, brand, drop } = await freshDatabase()
const { eventFiles, ...opened } = await openFiles()
const frozen = await openFrozen({ url, database }, { ...opened, eventFiles })
/** A segment "bought within a year" needs 7 events, one of each person, and the bound is 5. */
const cold = frozen.openCold({ bringMax: 5 })
const server = await startServer({ deps: { eventFiles, database: cold } })
const campaigns = new CampaignCalls(server)
after(async () => {
  await server.close()
  await cold.close()
  await frozen.close()
  await drop()
})

const SEEN = { event: 'see', within_days: 365 } as const

/** A brand whose 30 events of seven people have no rows. */
async function droppedBrand(): Promise<TestBrand> {
  const one = await brand()
  const events = Array.from({ length: 30 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' }))
  await frozen.store(one.brandId, events)
  await frozen.round()
  await frozen.drop()
  const { count } = await database.query('select from events where brand_id = $1', [one.brandId])
  assert.equal(count, 0)
  return one
}

function assertRefused(answer: Answer, needed: string): void {
  assert.deepEqual([answer.status, codesIn(answer)], [422, ['too_many_old_events']], answer.text)
  assert.match(answer.text, new RegExp(`This needs ${needed} events .* at most 5 can be brought`))
  assert.match(answer.text, /BECKON_EVENT_ROWS_DAYS/)
}

test('422 in every lane when events without rows are more than a statement may bring', async () => {
  const one = await droppedBrand()
  const preview = await call(server.port, {
    path: '/api/v1/segments/preview',
    headers: keyHeaders(one),
    body: { filter: SEEN },
  })
  assertRefused(preview, '7')

  const segment_id = await segmentOf(one)
  assertRefused(await push(server.port, one, { mode: 'segment', body: { segment_id } }), '7')

  const id = await campaigns.made(one, { audience: { segment_id: Number(segment_id) } })
  for (const action of ['dry_run', 'launch']) assertRefused(await campaigns.act(one, id, action), '7')
  assert.equal((await campaigns.read(one, id))['state'], 'draft')
})

/** A segment that was made while its events had rows. */
async function segmentOf({ brandId }: TestBrand): Promise<bigint> {
  const { rows } = await database.query<{ id: bigint }>(
    `insert into segments (brand_id, name, filter, created_at, updated_at) values ($1, 'x', $2, now(), now())
     returning id`,
    [brandId, JSON.stringify(SEEN)],
  )
  return rows[0]?.id ?? assert.fail('no segment')
}

const { waitMs, ...LEASE } = { waitMs: EVENT_FILE_LIMITS.oldEventsWaitMsMin, count: 10, leaseMs: 60_000 }

test('the daily count of a segment is given up for the day, and the segment says why', async () => {
  const one = await droppedBrand()
  const { brandId } = one
  const id = await segmentOf(one)
  const read = async (): Promise<object> =>
    Object(
      (await call(server.port, { path: `/api/v1/segments/${id}`, headers: keyHeaders(one) })).body['segment'],
    )
  // Noon of today: an hour later is the same day, and the events are of the weeks before.
  const now = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2
  const claims = async (at: number): Promise<number> =>
    (await claimSizes(cold, { ...LEASE, now: at })).filter((key) => key.brandId === brandId).length
  assert.equal(await claims(now), 1)
  await sizeSegment({ database: cold, clock: { now: () => now } }, { brandId, id })
  assert.deepEqual([await claims(now + 3_600_000), await claims(now + DAY_MS)], [0, 1])
  const reasons = async (): Promise<readonly unknown[]> =>
    (await database.query('select size_reason as reason from segments where brand_id = $1', [brandId])).rows
  assert.deepEqual(await reasons(), [{ reason: 'too_many_old_events' }])
  const wide = frozen.openCold()
  await sizeSegment({ database: wide, clock: { now: () => now + DAY_MS } }, { brandId, id })
  await wide.close()
  assert.deepEqual(await reasons(), [{ reason: null }], 'it was counted on the next day')
  await database.query('update segments set size = 3 where brand_id = $1', [brandId])
  const { size, size_reason } = Object(await read())
  assert.deepEqual([size, size_reason], [3, 'too_many_old_events'], 'it can be read all the same')
})

/** The plans of the brand that are due later than now, claimed. */
async function claimsOf({ brandId }: TestBrand, laterMs: number): Promise<readonly PlanClaim[]> {
  const found = await claimPlans(database, { ...LEASE, now: Date.now() + laterMs })
  return found.filter((plan) => plan.brandId === brandId)
}

/** A broadcast to the segment, as its planner has claimed it. */
async function claimedBroadcast(one: TestBrand): Promise<PlanClaim> {
  const segmentId = await segmentOf(one)
  await push(server.port, one, { mode: 'all' })
  await database.query(`update notifications set mode = 'segment', segment_id = $2 where brand_id = $1`, [
    one.brandId,
    segmentId,
  ])
  return (await claimsOf(one, 0))[0] ?? assert.fail('no plan')
}

/** State, reason and whether it has the advice. */
async function stateOf(one: TestBrand, { id }: PlanClaim): Promise<readonly unknown[]> {
  const { body } = await call(server.port, { path: `/api/v1/notifications/${id}`, headers: keyHeaders(one) })
  const { state, reason, advice } = Object(body['notification'])
  return [state, reason, /BECKON_EVENT_ROWS_DAYS/.test(advice)]
}

test('a broadcast that cannot be planned waits longer and longer, says why, and is planned once it can be', async () => {
  const one = await droppedBrand()
  const first = await claimedBroadcast(one)
  await planOrPostpone(cold, first)
  assert.deepEqual(await stateOf(one, first), ['queued', 'too_many_old_events', true])
  assert.equal((await claimsOf(one, waitMs - 60_000)).length, 0)
  const [second = assert.fail('no plan')] = await claimsOf(one, waitMs + 60_000)
  const wide = frozen.openCold()
  await planOrPostpone(wide, second)
  await wide.close()
  assert.deepEqual(await stateOf(one, first), ['sent', null, false], 'nobody has a device')
})

test('a broadcast and a journey that wait are tried again when a filter is changed', async () => {
  const one = await droppedBrand()
  const { brandId } = one
  const api = apiOf(server.port, one)
  await planOrPostpone(cold, await claimedBroadcast(one))
  const segment = Number(await segmentOf(one))
  const trigger = { segment_entered: segment }
  const journeyId = BigInt(await startJourney(api, { name: 'n', trigger, steps: [REMIND] }))
  const now = Date.now() + 1_000
  await scanJourney({ database: cold, plans: new JourneyPlans(memoryLog()) }, { brandId, journeyId }, { now })
  const due = async (): Promise<readonly number[]> => [
    (await claimsOf(one, 5_000)).length,
    (await findScans(database, { now: Date.now() + 5_000, limit: 100 })).filter(
      (ref) => ref.brandId === brandId,
    ).length,
  ]
  assert.equal((await api('PATCH', `/api/v1/segments/${segment}`, { name: 'y' })).status, 200)
  assert.deepEqual(await due(), [0, 0])
  const filter = { event: 'see' }
  const changed = await api('PATCH', `/api/v1/segments/${segment}`, { filter })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(await due(), [1, 1])
})

test('a journey whose segment cannot be looked at waits longer and longer, and says why', async () => {
  const one = await droppedBrand()
  const { brandId } = one
  const api = apiOf(server.port, one)
  const trigger = { segment_entered: Number(await segmentOf(one)) }
  const id = await startJourney(api, { name: 'n', trigger, steps: [REMIND] })
  const reason = async (): Promise<unknown> =>
    Object((await api('GET', `/api/v1/journeys/${id}`)).body['journey']).reason
  const deps = { database: cold, plans: new JourneyPlans(memoryLog()) }
  const now = Date.now() + 1_000
  const due = async (at: number): Promise<number> =>
    (await findScans(database, { now: at, limit: 100 })).filter((ref) => ref.brandId === brandId).length
  assert.deepEqual([await due(now), await reason()], [1, null])
  assert.ok(await scanJourney(deps, { brandId, journeyId: BigInt(id) }, { now }))
  assert.deepEqual([await due(now + waitMs - 1), await due(now + waitMs + 5_000)], [0, 1])
  assert.equal(await reason(), 'too_many_old_events')
  const wide = frozen.openCold()
  await scanJourney(
    { ...deps, database: wide },
    { brandId, journeyId: BigInt(id) },
    { now: now + waitMs + 5_000 },
  )
  await wide.close()
  assert.equal(await reason(), null)
})
