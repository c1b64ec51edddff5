import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { loadFunnel } from '../../src/store/events/funnel.ts'
import { type FunnelPeopleQuery, listFunnelPeople } from '../../src/store/events/funnel-people.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const PEOPLE = 2_000
const PAGE = 50

const { brandId } = await brand()
const now = Date.now()

// Everybody views, every second person buys a minute later, and everybody did many other things.
await database.query(
  `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
   select ($2::bigint + n) << 21, (n - 1) % $3 + 1, to_timestamp($2 / 1000.0) + (n / $3) * interval '1 minute', $1, false,
     case when n <= $3 then 'view' when n <= 2 * $3 and n % 2 = 0 then 'buy' else 'other' end, 0, '{}'
   from generate_series(1, 10 * $3::bigint) as n`,
  [brandId, now - 3_600_000, PEOPLE],
)
await withOwner(url, async (owner) => owner.query('analyze'))

const FUNNEL = {
  brandId,
  steps: ['view', 'buy'],
  excluded: [],
  withinMs: 3_600_000,
  fromAt: now - 7_200_000,
  toAt: now,
}

async function listAll(did: FunnelPeopleQuery['did']): Promise<readonly bigint[]> {
  const found: bigint[] = []
  let afterId: bigint | null = null
  for (let isMore = true; isMore; ) {
    const query: FunnelPeopleQuery = { ...FUNNEL, step: 1, did, afterId, limit: PAGE }
    const page = await database.asBrand(brandId, async (tx) => listFunnelPeople(tx, query))
    found.push(...page.rows.map(({ id }) => id))
    afterId = found.at(-1) ?? null
    isMore = page.hasMore
  }
  return found
}

test('the people of a step and those who stopped before it are as many as the funnel counts, each once', async () => {
  const cells = await database.asBrand(brandId, async (tx) =>
    loadFunnel(tx, { ...FUNNEL, parts: [], groupsMax: 1 }),
  )
  const [views = 0, buys = 0] = cells.map(({ users }) => users)
  const [reached, stopped] = [await listAll('reached'), await listAll('stopped')]
  assert.deepEqual([reached.length, stopped.length], [buys, views - buys])
  assert.equal(new Set([...reached, ...stopped]).size, PEOPLE)
})

test('a page reads the events of the steps, and none of the other events of these people', async () => {
  await database.asBrand(brandId, async (tx) => {
    const before = await rowsRead(tx, 'events_default')
    const page = await listFunnelPeople(tx, {
      ...FUNNEL,
      step: 1,
      did: 'stopped',
      afterId: null,
      limit: PAGE,
    })
    assert.equal(page.rows.length, PAGE)
    const read = (await rowsRead(tx, 'events_default')) - before
    assert.ok(read <= 2 * PEOPLE, `${read} rows were read`)
  })
})
