import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saveGoalPeople } from '../../src/store/campaigns/conversions.ts'
import { withOwner } from '../../src/store/db.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const PEOPLE = 5_000
const REACHED = 400

test('who reached a goal is written without a look at everybody whom the campaign was planned for', async () => {
  const { brandId } = await brand()
  await database.query(
    `insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at)
     select $1, 1, n, n % 2, now() from generate_series(1, $2::integer) as n`,
    [brandId, PEOPLE],
  )
  await withOwner(url, async (owner) => owner.query('vacuum (analyze) campaign_people'))
  const people = Array.from({ length: REACHED + 1 }, (_, place) => ({
    campaignId: 1n,
    profileId: BigInt(place + 1),
    plannedAt: Date.now(),
  }))
  const reached = people.slice(1).map(({ campaignId, profileId }) => {
    const event = {
      kind: 'event',
      id: 1n,
      profileId,
      name: 'buy',
      at: 0,
      attributes: {},
      ltv: '2.5',
    } as const
    return { campaignId, profileId, events: [event, event] }
  })
  await database.asEngine(async (tx) => {
    await saveGoalPeople(tx, { brandId, people, reached })
    assert.ok((await rowsRead(tx, 'campaign_people')) <= 2 * REACHED)
  })
  const { rows } = await database.query(
    `select count(*)::integer as people, min(profile_id)::integer as first, min(events) as events, sum(ltv)::float8 as ltv,
       bool_and(trial_group = profile_id % 2) as "isOfGroup"
     from goal_people where brand_id = $1`,
    [brandId],
  )
  assert.deepEqual(rows, [{ people: REACHED, first: 2, events: 2, ltv: 5 * REACHED, isOfGroup: true }])
})
