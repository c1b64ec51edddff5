import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { copyPeopleSql, planPeopleSearch } from '../../src/store/event-files/people-csv.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const FAR = 300_000
const { signal } = new AbortController()

/** People of a brand, with ids that are far apart, as those of a brand with very many people are. */
async function storePeople(brandId: number, ids: readonly number[]): Promise<void> {
  await database.asEngine(async (tx) =>
    tx.query(
      `insert into profiles (brand_id, id, attributes, created_at, updated_at)
       select $1, id, jsonb_build_object('plan', case when id % 2 = 0 then 'pro' else 'free' end), now(), now()
       from unnest($2::bigint[]) as id`,
      [brandId, ids],
    ),
  )
}

async function searchOf(brandId: number, last: number): Promise<string> {
  const people = { first: 1n, last: BigInt(last) }
  return database.asQuestion({ brandId: null, signal }, async (tx) =>
    planPeopleSearch(tx, { brandId, people }),
  )
}

test('the table is read for a brand that has most of all people, and the index for any other', async () => {
  const [large, small] = [await brand(), await brand()]
  await storePeople(large.brandId, [2, 3, 4, FAR])
  await storePeople(small.brandId, [5, FAR + 1])
  assert.equal(await searchOf(large.brandId, FAR), 'table')
  assert.equal(await searchOf(small.brandId, FAR), 'index')
  assert.equal(await searchOf(large.brandId, 4), 'index')
})

test('the table and the index give the same people', async () => {
  const [mine, other] = [await brand(), await brand()]
  await storePeople(mine.brandId, [12, 13, 14, 15, FAR + 20])
  await storePeople(other.brandId, [16, 18])
  const copy = copyPeopleSql({
    brandId: mine.brandId,
    people: {
      kind: 'attribute',
      attribute: 'plan',
      comparison: { kind: 'equality', is: 'eq', value: 'pro' },
    },
    parts: [],
    now: Date.now(),
  })
  if (copy === null) throw new Error('a filter of people copies them')
  for (const search of ['index', 'table'] as const) {
    const csv: string = await database.asQuestion(
      { brandId: null, signal },
      async (tx): Promise<string> => text(tx.copyOut(copy(search))),
    )
    const ids = csv.trim().split('\n').map(Number)
    assert.deepEqual(
      ids.toSorted((a, b) => a - b),
      [12, 14, FAR + 20],
    )
  }
})
