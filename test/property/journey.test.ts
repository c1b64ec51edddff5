import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type Enrolment, enter, type Happening, isDue, move } from '../../src/domain/journeys/journey.ts'
import { JOURNEY_LIMITS } from '../../src/rules/journeys.ts'
import { FACTS, journeyOf } from '../support/journeys/journeys.ts'

const SEND = { to: 'anywhere', title: 'Hello', message: 'World' }

/** A journey with a step of every kind, and a loop. */
const JOURNEY = journeyOf({
  goal: { event: 'goal' },
  exit: { event: 'exit' },
  quiet_hours: [{ from: '22:00', to: '07:00' }],
  steps: [
    { id: 'split', split: [{ percent: 50, next: 'wait' }, { percent: 50 }] },
    { id: 'branch', branch: { filter: { tag: 'vip' }, no: 'await' } },
    { id: 'send', send: SEND },
    { id: 'wait', wait: { hours: 7 } },
    { id: 'await', wait_for: { event: 'came', within: { hours: 3 }, yes: 'mark' } },
    { id: 'until', wait_until: { at: '12:00' } },
    { id: 'mark', set: { add_tag: 'seen' }, next: 'wait' },
  ],
})

type Turn = {
  readonly afterMs: number
  readonly event: string | null
  readonly isThere: boolean
  readonly isInFilter: boolean
}

const TURNS = fc.array(
  fc.record({
    afterMs: fc.nat({ max: 20 * 3_600_000 }),
    event: fc.constantFrom(null, null, null, 'came', 'goal', 'exit', 'other'),
    isThere: fc.constantFrom(true, true, true, true, false),
    isInFilter: fc.boolean(),
  }),
  { maxLength: 60 },
)

function happeningOf({ event, isThere, isInFilter }: Turn, now: number): Happening {
  if (event !== null) return { kind: 'event', name: event, at: now, attributes: {} }
  return { kind: 'woke', facts: { ...FACTS, isThere, isInFilter } }
}

function assertWhole(enrolment: Enrolment): void {
  const isActive = enrolment.state === 'active'
  assert.equal(enrolment.step !== null, isActive)
  assert.equal(enrolment.wakeAt !== null, isActive)
  assert.ok(enrolment.visits <= JOURNEY_LIMITS.visitsMax + 1)
}

test('whatever happens, a person inside has a step and a moment, and one who has left stays away', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 1_000_000n }), TURNS, (profileId, turns) => {
      let now = Date.parse('2026-03-28T12:00:00Z')
      let { enrolment } = enter(JOURNEY, { profileId, at: now, startAt: now, now })
      for (const turn of turns) {
        now += turn.afterMs
        const before = enrolment
        const { enrolment: next, wishes, notes } = move(JOURNEY, before, happeningOf(turn, now), now)
        assertWhole(next)
        assert.ok(next.visits >= before.visits)
        if (before.state !== 'active') assert.equal(next, before)
        if (turn.event !== null || !isDue(before, now)) assert.deepEqual(wishes, [])
        if (next !== before) assert.ok(notes.length > 0, 'nothing moves without a reason')
        enrolment = next
      }
    }),
  )
})

test('at every moment a person comes to rest after a few steps', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 1_000_000n }),
      fc.nat({ max: 86_400_000 }),
      fc.boolean(),
      (profileId, ms, isInFilter) => {
        const now = Date.parse('2026-03-28T12:00:00Z') + ms
        let { enrolment } = enter(JOURNEY, { profileId, at: now, startAt: now, now })
        for (let steps = 0; isDue(enrolment, now); steps += 1) {
          assert.ok(steps <= JOURNEY.steps.size)
          enrolment = move(
            JOURNEY,
            enrolment,
            { kind: 'woke', facts: { ...FACTS, isInFilter } },
            now,
          ).enrolment
        }
        assert.ok(enrolment.state !== 'active' || (enrolment.wakeAt ?? 0) > now)
      },
    ),
  )
})
