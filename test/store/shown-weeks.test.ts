import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { WEEK_MS, weekOf } from '../../src/domain/events/week.ts'
import { showDropped } from '../../src/intake/event-files/drop-rows.ts'
import { withOwner } from '../../src/store/db.ts'
import { openHotRows } from '../../src/store/event-files/hot-rows.ts'
import { freshDatabase } from '../support/database/database.ts'
import { OLD_WEEK, openFrozen, rawEvent } from '../support/events/frozen.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

const WEEKS = [OLD_WEEK, weekOf(OLD_WEEK.startsAt + WEEK_MS)]
const EVENTS = [20, 3]

test('an export has the dropped events of one week at a time in its temporary table', async () => {
  const { brandId } = await brand()
  for (const [week, { startsAt }] of WEEKS.entries()) {
    const events = Array.from({ length: EVENTS[week] ?? 0 }, (_, place) =>
      rawEvent(place, { receivedAt: startsAt, attributes: '{"sku": "A"}' }),
    )
    await frozen.store(brandId, events)
  }
  await frozen.round()
  await frozen.drop()
  assert.equal((await database.query('select from events where brand_id = $1', [brandId])).count, 0)
  await withOwner(url, async (owner) => {
    await openHotRows(owner, 'scratch')
    const shown: number[] = []
    for (const { firstId, endId } of WEEKS) {
      await showDropped(frozen.eventFiles, owner, { brandId, firstId, endId })
      shown.push((await owner.query('select from pg_temp.cold_events')).count)
    }
    assert.deepEqual(shown, EVENTS)
    await owner.query('rollback')
  })
})
