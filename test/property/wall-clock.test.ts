import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as check, integer, property } from 'fast-check'
import { wallClock } from '../../src/domain/values/wall-clock.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Africa/Monrovia',
]

test('the remembered clock shows what Temporal shows, also around every change of the clock', () => {
  for (const timeZone of ZONES) {
    const clock = wallClock(timeZone)
    const walls = array(integer({ min: 0, max: 4_102_444_800 }), { minLength: 1, maxLength: 50 })
    check(
      property(walls, (seconds) => {
        for (const second of seconds) {
          const wall = new Date(second * 1000).toISOString().slice(0, 19)
          const expected = Temporal.PlainDateTime.from(wall).toZonedDateTime(timeZone).epochMilliseconds
          assert.equal(clock(second * 1000), expected)
        }
      }),
      { numRuns: 20 },
    )
  }
})

test('a skipped time moves forward, a repeated one is the first', () => {
  const clock = wallClock('Europe/Berlin')
  const at = (wall: string): string => new Date(clock(Date.parse(`${wall}Z`))).toISOString()
  assert.equal(at('2026-03-29T02:30:00'), '2026-03-29T01:30:00.000Z')
  assert.equal(at('2026-03-29T02:59:59'), '2026-03-29T01:59:59.000Z')
  assert.equal(at('2026-10-25T02:30:00'), '2026-10-25T00:30:00.000Z')
  assert.equal(at('2026-10-25T02:59:59'), '2026-10-25T00:59:59.000Z')
  assert.equal(at('2026-10-25T03:00:00'), '2026-10-25T02:00:00.000Z')
})
