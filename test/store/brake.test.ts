import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { forgetAnswers, poolAnswers } from '../../src/store/push/brake.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const KNOWN = { platform: 'ios', version: 1, suspects: 6, answers: 20, freshMs: 60_000 } as const

test('what workers were answered adds up, each counted once, and a new credential or a mended channel starts anew', async () => {
  const { brandId } = await brand()
  const pool = async (worker: string, version = 1) =>
    poolAnswers(database, { ...KNOWN, brandId, worker, version })
  assert.deepEqual(await pool('one'), { suspects: 6, answers: 20 })
  assert.deepEqual(await pool('one'), { suspects: 6, answers: 20 })
  assert.deepEqual(await pool('two'), { suspects: 12, answers: 40 })
  assert.deepEqual(await pool('two', 2), { suspects: 6, answers: 20 })
  await forgetAnswers(database, { brandId, platform: 'ios' })
  assert.deepEqual(await pool('three'), { suspects: 6, answers: 20 })
})

test('of workers that come at once, one is told of all', async () => {
  const { brandId } = await brand()
  const workers = Array.from({ length: 8 }, (_, place) => `worker ${place}`)
  const sums = await Promise.all(
    workers.map(async (worker) => poolAnswers(database, { ...KNOWN, brandId, worker })),
  )
  assert.deepEqual(
    sums.map(({ suspects }) => suspects / KNOWN.suspects).toSorted((one, other) => one - other),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )
})

test('what was answered long ago, or to another brand, does not count', async () => {
  const [mine, other] = [await brand(), await brand()]
  await poolAnswers(database, { ...KNOWN, brandId: other.brandId, worker: 'one' })
  await poolAnswers(database, { ...KNOWN, brandId: mine.brandId, worker: 'one' })
  const late = await poolAnswers(database, { ...KNOWN, brandId: mine.brandId, worker: 'two', freshMs: 0 })
  assert.deepEqual(late, { suspects: 6, answers: 20 })
})
