import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { Binds } from '../../src/store/bind.ts'
import { type AudienceQuery, audienceSql } from '../../src/store/push/audience-sql.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DOERS_FILTER, FILTER, STARTERS_FILTER } from '../support/segments/segments.ts'
import { saveManyDevices } from '../support/subscriptions/many-devices.ts'

const { database, brand, url, drop } = await freshDatabase()
after(drop)

test('no plan searches a list of ids for each row: only an index takes one', async () => {
  const { brandId } = await brand()
  await saveManyDevices(url, { brandId, count: 20_000 })
  const filters = fc.array(fc.oneof(FILTER, DOERS_FILTER, STARTERS_FILTER), { minLength: 20, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom('a', null), async (wanted, tag) => {
      for (const filter of wanted) {
        const plan = await planOf({ brandId, platform: 'android', tag, filter, reachesVirtual: false })
        assert.doesNotMatch(plan, /Filter: .*= ANY \(\(InitPlan/)
      }
    }),
    { numRuns: 15 },
  )
})

async function planOf(audience: AudienceQuery): Promise<string> {
  const binds = new Binds()
  const members = audienceSql(audience, binds)
  const { rows } = await database.query(
    `explain select count(*) from subscriptions as s where ${members}`,
    binds.values,
  )
  return rows.map((row) => Object.values(row).join('')).join('\n')
}
