import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import type { Filter } from '../../src/domain/segments/segment.ts'
import { countMembers, listMembers, totalOf } from '../../src/store/segments/members.ts'
import { freshDatabase } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { savePeople } from '../support/people/people.ts'
import { type Member, matchFilter } from '../support/segments/match-filter.ts'
import {
  COMPARISON_FILTER,
  DOERS_FILTER,
  FILTER,
  NOW,
  PERSON,
  STARTERS_FILTER,
} from '../support/segments/segments.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('SQL finds whom the filter in memory finds, and nobody of another brand', async () => {
  const people = fc.array(PERSON, { minLength: 1, maxLength: 8 })
  const filters = fc.array(FILTER, { minLength: 1, maxLength: 15 })
  await fc.assert(
    fc.asyncProperty(people, people, filters, async (ours, theirs, wanted) => {
      const [mine, other] = [await brand(), await brand()]
      await savePeople(database, other.brandId, theirs)
      const members = await savePeople(database, mine.brandId, ours)
      for (const filter of wanted) {
        assert.deepEqual(await found(mine.brandId, filter), expected(members, filter))
      }
    }),
    { numRuns: atLength(120, { short: 12 }) },
  )
})

test('SQL compares as memory does, person by person and condition by condition', async () => {
  const people = fc.array(PERSON, { minLength: 12, maxLength: 20 })
  const filters = fc.array(COMPARISON_FILTER, { minLength: 60, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(people, filters, async (persons, wanted) => {
      const { brandId } = await brand()
      const known = persons.map((person, at) => ({ ...person, userIds: [`u${at}`], devices: [DEVICE] }))
      const members = await savePeople(database, brandId, known)
      for (const filter of wanted) assert.deepEqual(await found(brandId, filter), expected(members, filter))
    }),
    { numRuns: atLength(45, { short: 4 }) },
  )
})

test('SQL finds whom memory finds also where it begins with those who did something', async () => {
  const people = fc.array(PERSON, { minLength: 6, maxLength: 10 })
  const filters = fc.array(fc.oneof(DOERS_FILTER, STARTERS_FILTER), { minLength: 30, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(people, filters, async (persons, wanted) => {
      const { brandId } = await brand()
      const members = await savePeople(database, brandId, persons)
      for (const filter of wanted) assert.deepEqual(await found(brandId, filter), expected(members, filter))
    }),
    { numRuns: atLength(45, { short: 4 }) },
  )
})

const DEVICE = {
  tags: [],
  isLive: true,
  platform: 'android',
  language: 'en',
  time_zone: 'de',
  browser: null,
  app_version: 'en-US',
}

async function found(brandId: number, filter: Filter): Promise<readonly string[]> {
  const page = { brandId, filter, now: NOW, afterId: 0n, limit: 500 }
  const [all, each] = [
    await database.asEngine(async (tx) => listMembers(tx, page)),
    await database.asEngine(async (tx) => listMembers(tx, { ...page, reach: 'few' })),
  ].map(({ rows }) => rows.map(({ subscriptionId }) => subscriptionId))
  assert.deepEqual(each, all)
  const { rows: first } = await database.asEngine(async (tx) => listMembers(tx, { ...page, limit: 1 }))
  assert.equal(first[0]?.subscriptionId, all?.[0])
  const [whole, ...shares] = [
    await countMembers(database, page),
    await countMembers(database, { ...page, share: 'picked' }),
    await countMembers(database, { ...page, share: 'others' }),
  ].map(totalOf)
  assert.equal(whole, all?.length)
  assert.equal(
    shares.reduce((sum, count) => sum + count, 0),
    whole,
    'the shares of the people make up everybody',
  )
  return all ?? []
}

function expected(members: ReadonlyMap<string, Member>, filter: Filter): readonly string[] {
  return [...members].filter(([, member]) => matchFilter(filter, member, NOW)).map(([id]) => id)
}
