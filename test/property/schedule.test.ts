import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { planSchedule, sendInstantOf } from '../../src/domain/push/schedule.ts'
import { PUSH_LIMITS } from '../../src/rules/push.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const ZONE = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC', '+05:45', '-12:00', '+14:00')
const MOMENT = fc.integer({ min: NOW - 2 * PUSH_LIMITS.aheadMsMax, max: NOW + 2 * PUSH_LIMITS.aheadMsMax })

function wallOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}

test('what is accepted is never early, never past, and within a year', () => {
  fc.assert(
    fc.property(MOMENT, ZONE, (at, zone) => {
      const wall = wallOf(at)
      const plan = planSchedule({ kind: 'at', wall, zone }, NOW)
      if (!plan.ok) return
      const { sendAt, isDue } = plan.value
      assert.ok(sendAt >= sendInstantOf(wall, zone) && sendAt >= NOW)
      assert.ok(sendAt <= NOW + PUSH_LIMITS.aheadMsMax)
      assert.equal(isDue, sendAt === NOW)
    }),
  )
})

test('no zone comes before a subscriber schedule opens, nor after it has closed', () => {
  fc.assert(
    fc.property(MOMENT, ZONE, (at, zone) => {
      const wall = wallOf(at)
      const plan = planSchedule({ kind: 'subscriber', wall }, NOW)
      if (!plan.ok) return
      const own = Math.max(NOW, sendInstantOf(wall, zone))
      assert.ok(plan.value.sendAt <= own && own <= plan.value.lastAt)
    }),
  )
})
