import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { WEEK_MS, weekOf } from '../../src/domain/events/week.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { withOwner } from '../../src/store/db.ts'
import { findFreezable } from '../../src/store/event-files/frozen-weeks.ts'
import { findRewritable } from '../../src/store/event-files/manifest.ts'
import { noteFailedTry } from '../../src/store/event-files/tries.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

const { retryMsMin, retryMsMax } = EVENT_FILE_LIMITS

async function watchedWeeks(brandId: number): Promise<readonly bigint[]> {
  const { rows } = await database.query<{ firstId: bigint }>(
    'select first_id as "firstId" from event_file_weeks where brand_id = $1 order by 1',
    [brandId],
  )
  return rows.map(({ firstId }) => firstId)
}

async function isFrozen(brandId: number): Promise<boolean> {
  const { count } = await database.query('select from event_files where brand_id = $1', [brandId])
  return count > 0
}

test('a week whose lock is not free is passed over, and keeps nothing else from its turn', async () => {
  const { brandId } = await brand()
  const older = weekOf(OLD_WEEK.startsAt - WEEK_MS)
  await withOwner(url, async (owner) => maintainWeeks(owner, { now: older.startsAt, retentionDays: 365 }))
  const [id] = await frozen.store(brandId, [
    rawEvent(1, { receivedAt: older.startsAt + DAY_MS }),
    rawEvent(2),
  ])
  await database.asEngine(async (tx) => {
    await tx.query('update events set profile_id = 77 where brand_id = $1 and id = $2', [brandId, id])
    await frozen.once()
    assert.deepEqual(await watchedWeeks(brandId), [OLD_WEEK.firstId])
  })
  await frozen.round()
  assert.deepEqual(await watchedWeeks(brandId), [older.firstId, OLD_WEEK.firstId])
  const { count } = await database.query('select from event_files where brand_id = $1', [brandId])
  assert.equal(count, 2)
})

test('a week that cannot be frozen waits, longer after each failure, and is frozen once it can be', async () => {
  const [bad, good] = [await brand(), await brand()]
  // No ltv of the API has so many digits, and no column of a file holds it.
  const [id] = await frozen.store(bad.brandId, [rawEvent(1, { ltv: '1e30' })])
  await frozen.store(good.brandId, [rawEvent(2)])
  await frozen.round()
  assert.ok(frozen.lines.some((line) => line.includes('could not be frozen')))
  assert.deepEqual([await isFrozen(bad.brandId), await isFrozen(good.brandId)], [false, true])
  const failures = async (): Promise<number | undefined> => {
    const { rows } = await database.query<{ failures: number }>(
      'select failures from event_file_weeks where brand_id = $1',
      [bad.brandId],
    )
    return rows[0]?.failures
  }
  assert.equal(await failures(), 1)
  await frozen.once()
  assert.equal(await failures(), 1, 'its time has not come')
  await frozen.once(retryMsMin + DAY_MS)
  assert.equal(await failures(), 2)
  await database.query('delete from events where brand_id = $1 and id = $2', [bad.brandId, id])
  await frozen.store(bad.brandId, [rawEvent(3)])
  await frozen.round(retryMsMax + 2 * DAY_MS)
  assert.equal(await isFrozen(bad.brandId), true)
  assert.equal(await failures(), 0)
})

test('weeks that always fail let all others have their turn', async () => {
  const ids: number[] = []
  for (const place of [1, 2, 3]) {
    const { brandId } = await brand()
    await frozen.store(brandId, [rawEvent(place)])
    ids.push(brandId)
  }
  await database.query(
    'insert into event_file_weeks (brand_id, first_id, end_id, fence) select unnest($1::integer[]), $2, $3, $4',
    [ids, OLD_WEEK.firstId, OLD_WEEK.endId, '3'],
  )
  const now = Date.now()
  const found = async (at: number): Promise<readonly number[]> =>
    (await findFreezable(database, { now: at, limit: 2 })).map(({ brandId }) => brandId)
  const [first = 0, second = 0, third = 0] = ids
  assert.deepEqual(await found(now), [first, second])
  for (const brandId of [first, second]) {
    const range = { brandId, firstId: OLD_WEEK.firstId, endId: OLD_WEEK.endId }
    await noteFailedTry(database, { range, replaces: null, now })
  }
  assert.deepEqual(await found(now), [third])
  assert.deepEqual(await found(now + retryMsMin), [third, first], 'a week that was never tried comes first')
})

test('files that cannot be written again let all others have their turn', async () => {
  const { brandId } = await brand()
  const older = weekOf(OLD_WEEK.startsAt - WEEK_MS)
  await withOwner(url, async (owner) => maintainWeeks(owner, { now: older.startsAt, retentionDays: 365 }))
  const stored = [rawEvent(1, { receivedAt: older.startsAt + DAY_MS }), rawEvent(2)]
  await frozen.store(brandId, stored)
  await frozen.round()
  await database.query('update events set profile_id = 99 where brand_id = $1', [brandId])
  const now = Date.now()
  const rule = { goneBefore: 0, changedBefore: 0, share: 0.05, limit: 1 }
  const find = async (at: number) => (await findRewritable(database, { ...rule, now: at }))[0]
  await until(async () => (await find(now)) !== undefined, { what: 'the end of older transactions' })
  const one = await find(now)
  assert.ok(one !== undefined)
  const { path, ...range } = one
  await noteFailedTry(database, { range, replaces: path, now })
  const other = await find(now + retryMsMax)
  assert.ok(other !== undefined && other.path !== path)
})
