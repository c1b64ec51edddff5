import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { askStats, statsOfFiles } from '../../src/intake/events/stats.ts'
import { askRetention } from '../../src/intake/events/walks.ts'
import { loadRetention } from '../../src/store/events/retention.ts'
import { loadStats } from '../../src/store/events/stats.ts'
import { freshDatabase } from '../support/database/database.ts'
import { EVENTS, storeDrawn, ZONE } from '../support/events/drawn-events.ts'
import { DAY_MS, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { atLength } from '../support/length.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
const store = { database, brand, frozen }
const deps = { database, eventFiles: frozen.eventFiles }
const watch = { signal: new AbortController().signal, tell: null }
after(async () => {
  await frozen.close()
  await drop()
})

const FILTERED = fc.constantFrom(
  null,
  { name: 'a', equals: null },
  ...['"ab"', '1.0', 'true', '"100"', 'null', '{"x": 1}'].map((equals) => ({ name: 'a', equals })),
)

const COUNTED = fc.record({
  by: fc.constantFrom('hour', 'day', 'name', 'attribute'),
  timeZone: ZONE,
  attribute: fc.constantFrom('a', "b'; --", 'nobody has it'),
  limit: fc.constantFrom(3, 100),
  eventName: fc.constantFrom('buy', null),
  filtered: FILTERED,
  days: fc.constantFrom(12, 38),
})

test('statistics of files and rows together are those of rows alone', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(EVENTS, fc.array(COUNTED, { minLength: 15, maxLength: 15 }), async (drawn, wanted) => {
      const brandId = await storeDrawn(store, drawn)
      for (const { eventName, filtered, days, ...asked } of wanted) {
        const range = { fromAt: Date.now() - days * DAY_MS, toAt: Date.now() - DAY_MS }
        const filter = { brandId, userId: null, eventName, ...range, attribute: filtered }
        const found = await statsOfFiles(deps, { ...asked, filter }, watch)
        if (found === null) continue
        answered += 1
        assert.deepEqual(found, await loadStats(database.reader, { ...asked, filter }))
      }
    }),
    { numRuns: atLength(24) },
  )
  // About one in three is; the number only shows that files are asked at all.
  assert.ok(answered > 4, `only ${answered} were answered from files: ${frozen.lines.join('')}`)
})

test('days and weeks before 1970 are those of rows, also where a zone has a name', async () => {
  const { brandId } = await brand()
  const times = [
    '1969-12-20T23:30:00Z',
    '1969-12-28T23:30:00Z',
    '1969-12-31T22:59:59Z',
    '1970-01-01T00:10:00Z',
  ]
  const events = times.map((at, place) => rawEvent(place, { at: Date.parse(at), profileId: 1, name: 'buy' }))
  await frozen.store(brandId, events)
  await frozen.round()
  frozen.lines.length = 0
  const range = { brandId, fromAt: Date.parse('1969-12-01'), toAt: Date.parse('1970-02-01') }
  for (const timeZone of ['Europe/Berlin', 'America/New_York', '+05:45']) {
    const filter = { ...range, userId: null, eventName: null, attribute: null }
    for (const by of ['hour', 'day'] as const) {
      const query = { filter, by, timeZone, attribute: '', limit: 100 }
      const found = await statsOfFiles(deps, query, watch)
      assert.deepEqual(found, await loadStats(database.reader, query))
    }
    for (const unit of ['day', 'week'] as const) {
      const query = {
        ...range,
        startEvent: 'buy',
        returnEvent: 'buy',
        unit,
        periods: 20,
        timeZone,
        division: null,
      }
      const rows = await database.asBrand(brandId, async (tx) => loadRetention(tx, query))
      assert.deepEqual(await askRetention(deps, query, watch), rows)
    }
  }
  assert.deepEqual(frozen.lines, [])
})

test('a time with more changes of a zone than a statement takes is asked of rows', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1)])
  await frozen.round()
  const range = { brandId, fromAt: 0, toAt: Date.parse('9999-12-31') }
  const filter = { ...range, userId: null, eventName: null, attribute: null }
  const query = { filter, by: 'day', timeZone: 'Europe/Berlin', attribute: '', limit: 100 } as const
  assert.equal(await statsOfFiles(deps, query, watch), null)
  assert.equal((await askStats(deps, query, watch)).length, 1)
})
