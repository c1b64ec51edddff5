import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Db, withOwner } from '../../src/store/db.ts'
import { needsOf } from '../../src/store/event-needs.ts'
import { type EventRowFilter, exportEvents, listEvents } from '../../src/store/events/list.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const EVENTS = 20_000
const PAGE = 100
/** A page reads one row more, to know whether there is a next one. */
const ROWS_MAX = 2 * (PAGE + 1)

const { brandId } = await brand()
const now = Date.now()
const firstId = BigInt(now - EVENTS) << 21n
const filter = {
  brandId,
  userId: null,
  eventName: null,
  fromAt: 0,
  toAt: now + 60_000,
  attribute: null,
  groups: null,
  people: null,
  where: [],
  mistyped: null,
  now: 0,
}

// Rows without statistics, as an import leaves them: the planner takes them for few, and would sort them all.
await database.query(
  `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
   select $1::bigint + (n << 21), 1, now(), $2, false, 'e', 0, '{}' from generate_series(0::bigint, $3) as n`,
  [firstId, brandId, EVENTS - 1],
)

test('a page of an export reads its own rows and no others, also before there are statistics', async () => {
  await database.asBrand(brandId, async (tx) => {
    const page = await exportEvents(tx, filter, { afterId: firstId, limit: PAGE })
    assert.equal(page.rows.length, PAGE)
    assert.ok((await rowsRead(tx, 'events_default')) <= ROWS_MAX)
  })
})

test('a page of the list of events reads its own rows and no others, also before there are statistics', async () => {
  await database.asBrand(brandId, async (tx) => {
    const page = await listEvents(tx, filter, { before: null, limit: PAGE })
    assert.equal(page.rows.length, PAGE)
    assert.ok((await rowsRead(tx, 'events_default')) <= ROWS_MAX)
  })
})

test('a page of the list of events looks up the user ids of its people, also among many', async () => {
  const people = 5_000
  // The person of all events has the last user id of the brand.
  await database.query(
    `with person as (
       insert into profiles (brand_id, id, created_at, updated_at)
       select $1, n, now(), now() from generate_series(1, $2::bigint) as n returning id
     )
     insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
     select $1, 'user_id', 'u-' || (10000 - id), id, now() from person`,
    [brandId, people],
  )
  await withOwner(url, async (owner) => owner.query('analyze'))
  await database.asBrand(brandId, async (tx) => {
    const before = await rowsRead(tx, 'profile_identities')
    const page = await listEvents(tx, filter, { before: null, limit: PAGE })
    assert.equal(page.rows[0]?.userId, 'u-9999')
    assert.ok((await rowsRead(tx, 'profile_identities')) - before <= ROWS_MAX)
  })
})

test('a page of events with a mistyped value reads few rows of its name', async () => {
  // A millisecond between two events, so that the index of names has their order.
  await withOwner(url, async (owner) => {
    await owner.query(
      `update events set mistyped = case when (id >> 21) % 2 = 0 then '{"price": "much"}'::jsonb end,
         event_at = to_timestamp((id >> 21) / 1000.0) where brand_id = $1`,
      [brandId],
    )
    await owner.query('vacuum analyze events')
  })
  const wrong = { ...filter, eventName: 'e', mistyped: 'price' }
  await database.asBrand(brandId, async (tx) => {
    const before = await rowsRead(tx, 'events_default')
    const page = await listEvents(tx, wrong, { before: null, limit: PAGE })
    assert.deepEqual([page.rows.length, page.rows[0]?.mistyped], [PAGE, { price: 'much' }])
    const read = (await rowsRead(tx, 'events_default')) - before
    assert.ok(read <= 2 * ROWS_MAX, `${read} rows were read`)
  })
})

/** The kinds of picks by which dropped events would be brought for a page of the list. */
async function picksOf(change: Partial<EventRowFilter>): Promise<readonly string[]> {
  const picks: string[] = []
  await database.asBrand(brandId, async (tx) => {
    const watched: Db = {
      query: async (statement, values = []) => {
        picks.push(...needsOf(values).map(({ pick }) => pick.kind))
        return tx.query(statement, values)
      },
    }
    await listEvents(watched, { ...filter, ...change }, { before: null, limit: 2 })
  })
  return picks
}

test('dropped events come by the page only where every condition of the list picks them too', async () => {
  assert.deepEqual(await picksOf({}), ['latest'])
  assert.deepEqual(await picksOf({ eventName: 'e' }), ['newest'])
  const groups = { parts: [{ kind: 'event' }], keys: ['["e"]'], isOneOf: true } as const
  const comparison = { kind: 'presence', is: 'exists' } as const
  for (const change of [
    { groups },
    { mistyped: 'a' },
    { where: [{ kind: 'attribute', attribute: 'a', comparison }] as const },
    { attribute: { name: 'a', equals: null } },
  ])
    assert.deepEqual(await picksOf(change), ['all'], Object.keys(change).join())
})
