import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { QUARTER_MS, quarterOf } from '../../src/domain/campaigns/local-hours.ts'
import { BEST_HOUR_LIMITS } from '../../src/rules/best-hours.ts'
import { withOwner } from '../../src/store/db.ts'
import { oldQuarterAt, purgeQuarters } from '../../src/store/events/active-quarters.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { catchUp, findMiscounts } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
const { database } = deps
after(server.close)
const users = new UserCalls(server)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.now()

function at(ago: number): string {
  return new Date(NOW - ago).toISOString()
}

/** The quarter hours that are kept of a person, each once, the oldest first. */
async function quartersOf(brandId: number, userId: string): Promise<readonly number[]> {
  const { rows } = await database.query<{ quarters: readonly number[] }>(
    `select active_quarters as quarters from profile_activity join profile_identities using (brand_id, profile_id)
     where brand_id = $1 and kind = 'user_id' and value = $2`,
    [brandId, userId],
  )
  return [...new Set(rows[0]?.quarters ?? [])].toSorted((a, b) => a - b)
}

async function brandEvents(brandId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await database.query<{ quarter: number; events: number }>(
    'select quarter, event_count::integer as events from brand_quarters where brand_id = $1 order by quarter',
    [brandId],
  )
  return new Map(rows.map(({ quarter, events }) => [quarter, events]))
}

test('a person has each quarter hour in which they did something, late events included, and no old ones', async () => {
  const mine = await server.brand()
  const agos = [70 * DAY_MS, 59 * DAY_MS, 3 * DAY_MS, 3 * DAY_MS, 2 * HOUR_MS]
  await logEntries(
    port,
    mine,
    agos.map((ago) => entryOf({ event_time: at(ago) })),
  )
  await catchUp(database, mine.brandId)
  const late = [40 * DAY_MS, 3 * DAY_MS]
  for (const ago of late) await logEntries(port, mine, [entryOf({ event_time: at(ago) })])
  await catchUp(database, mine.brandId)
  const expected = [59 * DAY_MS, 40 * DAY_MS, 3 * DAY_MS, 2 * HOUR_MS].map((ago) => quarterOf(NOW - ago))
  assert.deepEqual(await quartersOf(mine.brandId, 'u1'), expected)
  assert.deepEqual(
    await brandEvents(mine.brandId),
    new Map(expected.map((quarter, place) => [quarter, place === 2 ? 3 : 1])),
  )
  assert.deepEqual(await findMiscounts(database, mine.brandId), [])
})

test('a brand counts no event in the quarter hour that has just become too old', async () => {
  const mine = await server.brand()
  const old = oldQuarterAt(Date.now())
  // The next one may become too old while this runs.
  for (const quarter of [old, old + 2]) {
    const event_time = new Date(quarter * QUARTER_MS).toISOString()
    await logEntries(port, mine, [entryOf({ userID: `u${quarter}`, event_time })])
  }
  await catchUp(database, mine.brandId)
  assert.deepEqual([...(await brandEvents(mine.brandId)).keys()], [old + 2])
})

test('the newest quarter hours are kept of somebody who has more than fit', async () => {
  const mine = await server.brand()
  const quarters = Array.from({ length: BEST_HOUR_LIMITS.quartersMax + 50 }, (_, back) => back + 1)
  const entries = quarters.map((back) => entryOf({ event_time: at(back * HOUR_MS) }))
  const { quartersMax } = BEST_HOUR_LIMITS
  const lengths: number[] = []
  for (const part of [entries.slice(0, 200), entries.slice(200, quartersMax), entries.slice(quartersMax)]) {
    await logEntries(port, mine, part)
    await catchUp(database, mine.brandId)
    lengths.push((await quartersOf(mine.brandId, 'u1')).length)
  }
  assert.deepEqual(lengths, [200, quartersMax, BEST_HOUR_LIMITS.quartersRemaining])
  const kept = await quartersOf(mine.brandId, 'u1')
  assert.equal(kept.at(-1), quarterOf(NOW - HOUR_MS))
  assert.equal(kept[0], quarterOf(NOW - BEST_HOUR_LIMITS.quartersRemaining * HOUR_MS))
})

test('a merge joins the quarter hours, its undo separates them, and an erasure removes them', async () => {
  const mine = await users.mergingBrand()
  const { brandId } = mine
  await users.post(mine, 'create', { nv: [{ userID: 'old' }] })
  await users.post(mine, 'create', { nv: [{ userID: 'new', email: 'n@x.example' }] })
  const [early, shared, own] = [50 * DAY_MS, 9 * DAY_MS, 5 * HOUR_MS]
  const entries = [
    entryOf({ userID: 'old', event_time: at(early) }),
    entryOf({ userID: 'old', event_time: at(shared) }),
    entryOf({ userID: 'new', event_time: at(shared) }),
    entryOf({ userID: 'new', event_time: at(own) }),
  ]
  await logEntries(port, mine, entries)
  await catchUp(database, brandId)
  await users.post(mine, 'create', { nv: [{ userID: 'old', email: 'n@x.example' }] })
  await catchUp(database, brandId)
  const all = [early, shared, own].map((ago) => quarterOf(NOW - ago))
  assert.deepEqual(await quartersOf(brandId, 'new'), all)
  assert.deepEqual(await findMiscounts(database, brandId), [])

  assert.equal((await users.post(mine, 'unmerge', { userID: 'new' })).status, 200)
  await catchUp(database, brandId)
  assert.deepEqual(await quartersOf(brandId, 'old'), all.slice(0, 2))
  assert.deepEqual(await quartersOf(brandId, 'new'), all.slice(1))

  await users.post(mine, 'delete', { nv: [{ userID: 'old' }] })
  await catchUp(database, brandId)
  assert.deepEqual(await quartersOf(brandId, 'old'), [])
  const { count } = await database.query('select from profile_activity where brand_id = $1', [brandId])
  assert.equal(count, 1)
})

test('quarter hours of a brand leave after 60 days, and outlive events past their retention', async () => {
  const mine = await server.brand()
  await logEntries(port, mine, [entryOf({ event_time: at(59 * DAY_MS) }), entryOf({ event_time: at(0) })])
  await catchUp(database, mine.brandId)
  await purgeQuarters(database, { now: NOW, rowsMax: 100 })
  assert.equal((await brandEvents(mine.brandId)).size, 2)
  await purgeQuarters(database, { now: NOW + 2 * DAY_MS, rowsMax: 100 })
  assert.deepEqual([...(await brandEvents(mine.brandId)).keys()], [quarterOf(NOW)])
  for (const now of [NOW, NOW + 30 * DAY_MS])
    await withOwner(server.url, async (owner) => maintainWeeks(owner, { now, retentionDays: 1 }))
  assert.equal((await database.query('select from events where brand_id = $1', [mine.brandId])).count, 0)
  assert.equal((await quartersOf(mine.brandId, 'u1')).length, 2)
})
