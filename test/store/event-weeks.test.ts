import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { firstIdAt, receivedAt, WEEK_MS, weekOf, weekOfTable } from '../../src/domain/events/week.ts'
import { parseEventBody } from '../../src/http/events/body.ts'
import { EventIntake } from '../../src/intake/events/intake.ts'
import { errorCode } from '../../src/runtime/errors.ts'
import { takeDataLock } from '../../src/store/data-lock.ts'
import { withOwner } from '../../src/store/db.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { entryOf } from '../support/events/events.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const { url, database, brand, drop } = await freshDatabase()
after(drop)

async function log(brandId: number, now: number): Promise<void> {
  const intake = new EventIntake({ database, clock: { now: () => now } })
  const batch = parseEventBody({ nv: [entryOf()] }, { now, timeZone: 'UTC', isMerging: false })
  assert.ok(batch.ok)
  await intake.submit(brandId, { entries: batch.value.entries, rejected: [], isMerging: false })
}

async function tablesOf(brandId: number): Promise<readonly string[]> {
  const { rows } = await database.query<{ table: string }>(
    'select tableoid::regclass::text as table from events where brand_id = $1 order by id',
    [brandId],
  )
  return rows.map(({ table }) => table)
}

async function care(now: number, retentionDays = 365): Promise<unknown> {
  return withOwner(url, async (owner) => maintainWeeks(owner, { now, retentionDays }))
}

test('a week begins on Monday and an id tells when its event was received', () => {
  const week = weekOf(NOW)
  assert.equal(week.table, 'events_2026_11_09')
  assert.equal(new Date(week.startsAt).toISOString(), '2026-11-09T00:00:00.000Z')
  assert.deepEqual(weekOfTable(week.table), week)
  assert.deepEqual(weekOf(week.startsAt), week)
  assert.equal(weekOf(week.startsAt - 1).endsAt, week.startsAt)
  assert.equal(receivedAt(firstIdAt(NOW)), NOW)
})

test('events go to the table of their week; those that came before it was made are moved there', async () => {
  const mine = await brand()
  await log(mine.brandId, NOW)
  assert.deepEqual(await tablesOf(mine.brandId), ['events_default'])
  await care(NOW)
  await log(mine.brandId, NOW + WEEK_MS)
  assert.deepEqual(await tablesOf(mine.brandId), ['events_2026_11_09', 'events_2026_11_16'])
  assert.deepEqual(await care(NOW), { made: [], dropped: [] })
})

test('a week is dropped when all of it is past its retention, and not before', async () => {
  const mine = await brand()
  await care(NOW)
  await log(mine.brandId, NOW)
  const { endsAt, table } = weekOf(NOW)
  const day = 86_400_000
  await care(endsAt + 30 * day - 1, 30)
  assert.deepEqual(await tablesOf(mine.brandId), [table])
  await care(endsAt + 30 * day, 30)
  assert.deepEqual(await tablesOf(mine.brandId), [])
})

/** A lock that does not come soon leaves the work for the next round; here the next round comes at once. */
async function careInRounds(now: number): Promise<void> {
  for (;;) {
    try {
      await care(now)
      return
    } catch (cause) {
      if (errorCode(cause) !== LOCK_NOT_AVAILABLE) throw cause
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

test('writers are not lost while weeks are made and dropped', async () => {
  const mine = await brand()
  const start = NOW + 100 * WEEK_MS
  const writes = Array.from({ length: 40 }, async (_, at) => log(mine.brandId, start + at * WEEK_MS))
  const rounds = [0, 10, 20].map(async (weeks) => careInRounds(start + weeks * WEEK_MS))
  await Promise.all([...writes, ...rounds])
  assert.equal((await tablesOf(mine.brandId)).length, 40)
})

test('the weeks are cared for while a supervisor holds the data folder', async () => {
  const lock = await takeDataLock(url, { pid: 4711 })
  await care(NOW)
  await lock.release()
})
