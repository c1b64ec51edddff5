import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { findRetyped, raiseRetypingFences } from '../../src/store/events/retyping.ts'
import { findFollowUps, raiseFences } from '../../src/store/people/follow-ups.ts'
import { freshDatabase } from '../support/database/database.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const CASES = [
  {
    what: 'an erasure',
    insert: `insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
      values ($1, 7, now(), '{}', '{}', '{}')`,
    raise: raiseFences,
    find: findFollowUps,
  },
  {
    what: 'a new type of an attribute',
    insert: `insert into retyped_attributes (brand_id, event_name, attribute, retyped_at)
      values ($1, 'buy', 'total', now() - interval '1 day')`,
    raise: raiseRetypingFences,
    find: findRetyped,
  },
] as const

for (const { what, insert, raise, find } of CASES) {
  test(`${what} is not followed while a transaction is open that did not see it and has a higher number`, async () => {
    const { brandId } = await brand()
    const isFound = async (): Promise<boolean> => (await find(database, 100)).includes(brandId)
    await withOwner(url, async (asker) => {
      await asker.query('begin; set local role beckon_engine')
      await asker.query(insert, [brandId])
      await database.asEngine(async (open) => {
        await open.query('select pg_current_xact_id()')
        await asker.query('commit')
        await database.asEngine(async (tx) => raise(tx, brandId))
        assert.equal(await isFound(), false)
      })
    })
    await until(isFound, { what: `${what} to be followed` })
  })
}
