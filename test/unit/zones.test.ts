import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { lastInstantOf, sendInstantOf } from '../../src/domain/push/schedule.ts'
import { planZones } from '../../src/domain/push/zones.ts'
import { CHUNK_RULES } from '../../src/rules/push.ts'

const WALL = '2026-03-30T09:00:00'
const ZONES = ['Pacific/Kiritimati', 'Asia/Kathmandu', 'Europe/Berlin', 'UTC', 'America/St_Johns', '-12:00']
const FIRST = Date.parse('2026-03-29T19:00:00Z')

test('a step takes the zones whose time has come since the last, and names the next moment', () => {
  const query = { wall: WALL, zones: ['Asia/Tokyo', 'Asia/Seoul', 'Europe/Berlin'], brandZone: 'UTC' }
  const tokyo = Date.parse('2026-03-30T00:00:00Z')
  assert.deepEqual(planZones({ ...query, doneUntil: null, now: tokyo - 1 }), { due: [], nextAt: tokyo })
  const step = planZones({ ...query, doneUntil: tokyo - 1, now: tokyo })
  assert.deepEqual(step, {
    due: [
      { zone: 'Asia/Tokyo', at: tokyo },
      { zone: 'Asia/Seoul', at: tokyo },
    ],
    nextAt: tokyo + CHUNK_RULES.zoneStepMs,
  })
})

test('a zone nobody knows is served by the brand’s clock', () => {
  const now = sendInstantOf(WALL, 'Europe/Berlin')
  const { due } = planZones({
    wall: WALL,
    zones: ['Old/Zone'],
    brandZone: 'Europe/Berlin',
    doneUntil: null,
    now,
  })
  assert.deepEqual(due, [{ zone: 'Old/Zone', at: now }])
})

test('it is over when the time has come where the day ends last', () => {
  const last = lastInstantOf(WALL)
  const query = { wall: WALL, zones: [], brandZone: 'UTC', doneUntil: null }
  assert.equal(planZones({ ...query, now: last - 1 }).nextAt, last)
  assert.equal(planZones({ ...query, now: last }).nextAt, null)
})

test('whenever the planner looks, each zone is due once and never early', () => {
  const late = fc.array(fc.integer({ min: 0, max: 8 * 3_600_000 }), { minLength: 150, maxLength: 150 })
  fc.assert(
    fc.property(late, (delays) => {
      const served = new Map<string, number>()
      let doneUntil: number | null = null
      let nextAt: number | null = FIRST
      for (const delay of delays) {
        if (nextAt === null) break
        const now: number = nextAt + delay
        const step = planZones({ wall: WALL, zones: ZONES, brandZone: 'UTC', doneUntil, now })
        for (const { zone, at } of step.due) {
          assert.ok(at <= now)
          served.set(zone, (served.get(zone) ?? 0) + 1)
        }
        doneUntil = now
        nextAt = step.nextAt
      }
      assert.deepEqual(Object.fromEntries(served), Object.fromEntries(ZONES.map((zone) => [zone, 1])))
    }),
  )
})
