import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Db } from '../../src/store/db.ts'
import { loadFunnel } from '../../src/store/events/funnel.ts'
import { listFunnelPeople } from '../../src/store/events/funnel-people.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const PEOPLE = 500
const DAYS = 10
const PAGE = 50
const DAY_MS = 86_400_000

const { brandId } = await brand()
const now = Date.now()

// Everybody does the same every day. PostgreSQL gets no statistics of the rows, as after an import.
await database.query(
  `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
   select ($2::bigint + row_number() over ()) << 21, person, to_timestamp($2 / 1000.0) - day * interval '1 day', $1, false,
     'read', 0, '{}'
   from generate_series(1, $3::bigint) as person, generate_series(1, $4) as day`,
  [brandId, now, PEOPLE, DAYS],
)

const FUNNEL = {
  brandId,
  steps: Array.from({ length: DAYS }, () => 'read'),
  excluded: [],
  withinMs: 2 * DAYS * DAY_MS,
  fromAt: now - 2 * DAYS * DAY_MS,
  toAt: now,
}

/** Each step reads all events once. */
async function assertReadOnce(work: (tx: Db) => Promise<void>): Promise<void> {
  await database.asBrand(brandId, async (tx) => {
    const before = await rowsRead(tx, 'events_default')
    await work(tx)
    const read = (await rowsRead(tx, 'events_default')) - before
    assert.ok(read <= DAYS * PEOPLE * DAYS, `${read} rows were read`)
  })
}

test('the numbers of a funnel of many steps take one reading of each step', async () => {
  await assertReadOnce(async (tx) => {
    const cells = await loadFunnel(tx, { ...FUNNEL, parts: [], groupsMax: 1 })
    assert.deepEqual(
      cells.map(({ users }) => users),
      FUNNEL.steps.map(() => PEOPLE),
    )
  })
})

test('a page of the people of a funnel of many steps takes one reading of each step', async () => {
  await assertReadOnce(async (tx) => {
    const asked = { step: DAYS - 1, did: 'reached', afterId: null, limit: PAGE } as const
    const page = await listFunnelPeople(tx, { ...FUNNEL, ...asked })
    assert.equal(page.rows.length, PAGE)
  })
})
