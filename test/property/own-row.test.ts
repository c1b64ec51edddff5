import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import type { Filter } from '../../src/domain/segments/segment.ts'
import { Binds, writtenInstant } from '../../src/store/bind.ts'
import { peopleSql } from '../../src/store/events/filter.ts'
import { ownRowSql } from '../../src/store/segments/own-row.ts'
import { freshDatabase } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { savePeople } from '../support/people/people.ts'
import { ATTRIBUTE_CONDITION, COMPARISON_FILTER, FILTER, NOW, PERSON } from '../support/segments/segments.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const GROUP: fc.Arbitrary<Filter> = fc
  .record({
    kind: fc.constantFrom('all', 'any'),
    of: fc.array(ATTRIBUTE_CONDITION, { minLength: 1, maxLength: 3 }),
    isInverted: fc.boolean(),
  })
  .map(({ isInverted, ...group }) => (isInverted ? { kind: 'not', of: group } : group))

async function ids(sql: string, binds: Binds): Promise<readonly string[]> {
  return database.asEngine(async (tx) => {
    const { rows } = await tx.query<{ id: bigint }>(sql, [...binds.values])
    return rows.map(({ id }) => String(id)).toSorted()
  })
}

/** Null if the filter needs other rows than the profile. */
async function byOwnRow(brandId: number, filter: Filter): Promise<readonly string[] | null> {
  const binds = new Binds()
  const brandSql = binds.add(brandId)
  const now = writtenInstant(NOW)
  const sql = ownRowSql(filter, { brandId, brand: brandSql, binds, now, reach: 'few' })
  return sql === null
    ? null
    : ids(`select x.id from profiles as x where x.brand_id = ${brandSql} and ${sql}`, binds)
}

test('a filter that is asked of the profile alone finds the people whom it finds by look-ups', async () => {
  let compared = 0
  let grouped = 0
  const filters = fc.array(fc.oneof(FILTER, COMPARISON_FILTER, GROUP), { minLength: 20, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(fc.array(PERSON, { minLength: 1, maxLength: 8 }), filters, async (people, wanted) => {
      const { brandId } = await brand()
      await savePeople(database, brandId, people)
      for (const filter of wanted) {
        const own = await byOwnRow(brandId, filter)
        if (own === null) continue
        compared += 1
        if (filter.kind !== 'attribute' && filter.kind !== 'field') grouped += 1
        const binds = new Binds()
        assert.deepEqual(own, await ids(peopleSql({ brandId, people: filter, now: NOW }, binds), binds))
      }
    }),
    { numRuns: atLength(40) },
  )
  assert.ok(compared > 40, `only ${compared} filters were asked of the profile`)
  assert.ok(grouped > 20, `only ${grouped} of them were groups`)
})
