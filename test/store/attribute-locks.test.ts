import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fitsLock } from '../../src/domain/events/attribute.ts'
import { parseEventBody } from '../../src/http/events/body.ts'
import { EventIntake, type EventNotices } from '../../src/intake/events/intake.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { freshDatabase } from '../support/database/database.ts'
import { loadEvents } from '../support/events/events.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

/** An intake of its own knows nothing of what the others learned, like another process. */
async function log(
  brandId: number,
  attributes: object,
  intake = newIntake(),
): Promise<EventNotices['mistyped']> {
  const settings = { now: Date.now(), timeZone: 'UTC', isMerging: false }
  const batch = parseEventBody({ nv: [{ userID: 'u', event_name: 'e', attributes }] }, settings)
  assert.ok(batch.ok && batch.value.refused.length === 0)
  const call = { entries: batch.value.entries, rejected: [], isMerging: false }
  return (await intake.submit(brandId, call)).mistyped
}

function newIntake(): EventIntake {
  return new EventIntake({ database, clock: systemClock })
}

const VALUES = ['text', 7, true, '2026-01-01', { a: 1 }, [{ a: 1 }]] as const
const TYPE_OF = ['string', 'number', 'boolean', 'date', 'object', 'object_array'] as const

test('100 writers with different types leave one lock, and set every other value aside', async () => {
  const mine = await brand()
  const racers = Array.from({ length: 100 }, (_, at) => at % VALUES.length)
  const outcomes = await Promise.all(racers.map(async (kind) => log(mine.brandId, { price: VALUES[kind] })))
  const { rows } = await database.query<{ type: (typeof TYPE_OF)[number] }>(
    'select type from attribute_locks where brand_id = $1',
    [mine.brandId],
  )
  assert.equal(rows.length, 1)
  const locked = rows[0]?.type ?? 'string'
  for (const [at, mistyped] of outcomes.entries()) {
    const type = TYPE_OF[racers[at] ?? 0] ?? 'string'
    const expected = fitsLock(locked, type) ? [] : [{ call: 0, index: 0, attribute: 'price', locked }]
    assert.deepEqual(mistyped, expected)
  }
  const events = await loadEvents(database, mine)
  assert.equal(events.length, 100)
  for (const { attributes, mistyped } of events) {
    const isShown = 'price' in attributes
    assert.notEqual(isShown, mistyped !== null && 'price' in mistyped)
  }
  const shown = outcomes.filter((mistyped) => mistyped.length === 0).length
  assert.equal(events.filter(({ attributes }) => 'price' in attributes).length, shown)
})

test('writers who lock many attributes in opposite orders never wait for each other', async () => {
  const mine = await brand()
  const names = Array.from({ length: 50 }, (_, at) => `a${at}`)
  const forward = Object.fromEntries(names.map((name) => [name, 1]))
  const backward = Object.fromEntries(names.toReversed().map((name) => [name, 'x']))
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => log(mine.brandId, at % 2 === 0 ? forward : backward)),
  )
  assert.equal((await loadEvents(database, mine)).length, 20)
})

test('a String lock shows a text that looks like a date; a Date lock sets other text aside', async () => {
  const mine = await brand()
  const intake = newIntake()
  assert.deepEqual(await log(mine.brandId, { note: 'hello', due: '2026-01-01' }, intake), [])
  const mistyped = await log(mine.brandId, { note: '2026-01-01', due: 'soon' }, intake)
  assert.deepEqual(mistyped, [{ call: 0, index: 0, attribute: 'due', locked: 'date' }])
  const [, second] = await loadEvents(database, mine)
  assert.deepEqual(second?.attributes, { note: '2026-01-01' })
  assert.deepEqual(second?.mistyped, { due: 'soon' })
})

test('within one call the first value locks, and the bytes of the call are not stored in place of what fits', async () => {
  const mine = await brand()
  // Only events of known people are stored from the bytes.
  await log(mine.brandId, {})
  const settings = { now: Date.now(), timeZone: 'UTC', isMerging: false }
  const nv = [1, 'one', 2].map((n) => ({ userID: 'u', event_name: 'e', attributes: { n } }))
  const batch = parseEventBody({ nv }, settings)
  assert.ok(batch.ok)
  const { mistyped } = await newIntake().submit(mine.brandId, {
    entries: batch.value.entries,
    rejected: [],
    isMerging: false,
    body: Buffer.from(JSON.stringify({ nv })),
  })
  assert.deepEqual(mistyped, [{ call: 0, index: 1, attribute: 'n', locked: 'number' }])
  const events = await loadEvents(database, mine)
  assert.deepEqual(
    events.map((event) => [event.attributes, event.mistyped]),
    [
      [{}, null],
      [{ n: 1 }, null],
      [{}, { n: 'one' }],
      [{ n: 2 }, null],
    ],
  )
})

test('locks are by brand, by event and by the case of a name', async () => {
  const [mine, other] = [await brand(), await brand()]
  assert.deepEqual(await log(mine.brandId, { Price: 1, price: 'x' }), [])
  assert.deepEqual(await log(other.brandId, { Price: 'x', price: 1 }), [])
})
