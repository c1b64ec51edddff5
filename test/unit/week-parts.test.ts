import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WEEK_MS, weekOf } from '../../src/domain/events/week.ts'
import { partWeeks, weeksRead } from '../../src/domain/events/week-parts.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'

const NOW = weekOf(Date.parse('2026-03-04T12:00:00Z')).startsAt + WEEK_MS / 2
const weeksBack = (count: number) => Array.from({ length: count }, (_, back) => weekOf(NOW - back * WEEK_MS))

test('a part for each week from the first that may have an event of the range', () => {
  const weeks = [...weeksBack(5), weekOf(NOW + WEEK_MS)]
  const { startsAt, firstId } = weekOf(NOW - WEEK_MS)
  const edge = startsAt + EVENT_LIMITS.futureMsMax
  assert.deepEqual(partWeeks(weeks, { fromAt: edge, now: NOW }), {
    cuts: [weekOf(NOW).firstId],
    weeks: 2,
    weeksPerPart: 1,
  })
  assert.deepEqual(partWeeks(weeks, { fromAt: edge - 1, now: NOW }).cuts, [firstId, weekOf(NOW).firstId])
  assert.deepEqual(partWeeks([], { fromAt: 0, now: NOW }), { cuts: [], weeks: 0, weeksPerPart: 1 })
})

test('many weeks share parts, and all weeks are read when all parts are', () => {
  for (const count of [1, 25, 26, 27, 53, 200]) {
    const parts = partWeeks(weeksBack(count), { fromAt: 0, now: NOW })
    assert.equal(parts.weeks, count)
    assert.ok(parts.cuts.length < 26)
    for (const passes of [1, 2]) {
      const all = passes * (parts.cuts.length + 1)
      const steps = Array.from({ length: all + 1 }, (_, partsRead) => weeksRead(parts, { passes, partsRead }))
      assert.deepEqual(steps[0], { read: 0, of: passes * count })
      assert.deepEqual(steps.at(-1), { read: passes * count, of: passes * count })
      const read = steps.map((step) => step.read)
      assert.deepEqual(
        read,
        read.toSorted((one, other) => one - other),
      )
    }
  }
})
