import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { listAudience } from '../../src/store/push/audience-list.ts'
import type { AudienceQuery } from '../../src/store/push/audience-sql.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { seedCrowdedPerson, seedDevicePairs } from '../support/subscriptions/device-pairs.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const DEVICES = 20_000
const PAGE = 100
/** Each device of a page, and the other device of its person, is looked up a few times. */
const ROWS_MAX = 12 * PAGE

const { brandId } = await brand()
await seedDevicePairs(database, brandId, DEVICES)
const { brandId: crowded } = await brand()
await seedCrowdedPerson(database, crowded, DEVICES)

const AUDIENCE: AudienceQuery = {
  brandId,
  platform: ['android', 'web'],
  tag: null,
  filter: null,
  reachesVirtual: false,
  narrowing: { campaignId: 1n, hasUserList: false, exceptCampaignId: null, isLatestOnly: false },
}

test('a page of an audience reads its own devices, also before there are statistics', async () => {
  await database.asEngine(async (tx) => {
    for (const per of ['device', 'person'] as const) {
      const before = await rowsRead(tx, 'subscriptions')
      const page = await listAudience(tx, { query: AUDIENCE, per, afterId: 9_999n, limit: PAGE })
      assert.deepEqual([page.rows.length, page.rows[0]?.id, page.hasMore], [PAGE, 10_000n, true])
      const marked = page.rows.filter(({ isFirst }) => isFirst).length
      assert.equal(marked, per === 'device' ? PAGE : PAGE / 2)
      const read = (await rowsRead(tx, 'subscriptions')) - before
      assert.ok(read <= ROWS_MAX, `${read} rows were read`)
    }
  })
})

test('a small audience is found whole, after a look at the next devices alone', async () => {
  const last = `s${DEVICES}`
  const query: AudienceQuery = { ...AUDIENCE, tag: 'rare' }
  await database.query(
    `update subscriptions set tags = '{rare}' where brand_id = $1 and subscription_id = $2`,
    [brandId, last],
  )
  await database.asEngine(async (tx) => {
    const page = await listAudience(tx, { query, per: 'person', afterId: 0n, limit: PAGE })
    assert.deepEqual(
      page.rows.map(({ subscriptionId, isFirst }) => [subscriptionId, isFirst]),
      [[last, true]],
    )
  })
})

test('a person with very many devices is compared with all of them once in a page', async () => {
  const query: AudienceQuery = { ...AUDIENCE, brandId: crowded, tag: 'late' }
  await database.asEngine(async (tx) => {
    const before = await rowsRead(tx, 'subscriptions')
    const page = await listAudience(tx, { query, per: 'person', afterId: 0n, limit: PAGE })
    const firstLate = BigInt(DEVICES * 0.9) + 1n
    assert.deepEqual([page.rows.length, page.rows[0]?.id], [PAGE, firstLate])
    assert.deepEqual(
      page.rows.filter(({ isFirst }) => isFirst).map(({ id }) => id),
      [firstLate],
    )
    const next = await listAudience(tx, { query, per: 'person', afterId: firstLate + 99n, limit: PAGE })
    assert.deepEqual([next.rows.length, next.rows.filter(({ isFirst }) => isFirst).length], [PAGE, 0])
    const read = (await rowsRead(tx, 'subscriptions')) - before
    assert.ok(read <= 8 * DEVICES, `${read} rows were read`)
  })
})

test('the events of a person with very many devices are read once for a page, not for each device', async () => {
  const events = 200
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select (extract(epoch from now())::bigint * 1000 << 21) + n, 1, now(), $1, false, 'read', 0, '{"k": "v"}'
     from generate_series(1, $2::bigint) as n`,
    [crowded, events],
  )
  const written = { kind: 'text', is: 'contains', value: 'never written' } as const
  const done = {
    kind: 'event',
    event: 'read',
    count: { is: 'gte', value: 1 },
    withinDays: null,
    where: [{ kind: 'attribute', attribute: 'k', comparison: written }],
  } as const
  const query: AudienceQuery = { ...AUDIENCE, brandId: crowded, filter: { kind: 'not', of: done } }
  await database.asEngine(async (tx) => {
    const before = await rowsRead(tx, 'events_default')
    const page = await listAudience(tx, { query, per: 'person', afterId: 0n, limit: PAGE })
    assert.deepEqual([page.rows.length, page.rows.filter(({ isFirst }) => isFirst).length], [PAGE, 1])
    const read = (await rowsRead(tx, 'events_default')) - before
    assert.ok(read <= 5 * events, `${read} events were read`)
  })
})

test('whom another campaign reached is found once for a page of a person with very many devices', async () => {
  await withOwner(url, async (owner) => {
    await owner.query('set session_replication_role = replica')
    await owner.query(
      `insert into notifications (brand_id, id, platform, mode, state, content, send_at, expires_at, created_at, campaign_id,
         hand_over_seconds)
       values ($1, gen_random_uuid(), 'android', 'all', 'sent', '{}', now(), now(), now(), 5, 60)`,
      [crowded],
    )
  })
  const narrowing = { campaignId: 1n, hasUserList: false, exceptCampaignId: 5n, isLatestOnly: false }
  const query: AudienceQuery = { ...AUDIENCE, brandId: crowded, narrowing }
  await database.asEngine(async (tx) => {
    const before = await rowsRead(tx, 'subscriptions')
    const page = await listAudience(tx, { query, per: 'device', afterId: 0n, limit: PAGE })
    assert.deepEqual([page.rows.length, page.rows[0]?.id, page.hasMore], [PAGE, 1n, true])
    const read = (await rowsRead(tx, 'subscriptions')) - before
    assert.ok(read <= 3 * DEVICES, `${read} rows were read`)
  })
})
