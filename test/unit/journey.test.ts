import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Enrolment, enter, isDue, mayEnter, move } from '../../src/domain/journeys/journey.ts'
import type { Journey } from '../../src/domain/journeys/plan.ts'
import { JOURNEY_LIMITS } from '../../src/rules/journeys.ts'
import { enrolmentOf, FACTS, journeyOf, REMIND } from '../support/journeys/journeys.ts'

const NOW = Date.parse('2026-07-01T12:00:00Z')
const HOUR = { id: 'hour', wait: { hours: 1 } }

function event(name: string, at: number, attributes: object = {}) {
  return { kind: 'event', name, at, attributes: { ...attributes } } as const
}

function wake(journey: Journey, enrolment: Enrolment, facts: object = {}) {
  return move(journey, enrolment, { kind: 'woke', facts: { ...FACTS, ...facts } }, NOW)
}

test('who enters takes the first step at once', () => {
  const { enrolment, notes } = enter(journeyOf(), { profileId: 7n, at: NOW - 5_000, startAt: NOW, now: NOW })
  assert.ok(isDue(enrolment, NOW))
  assert.deepEqual([enrolment.step, enrolment.enteredAt, notes[0]?.did], ['remind', NOW - 5_000, 'entered'])
})

test('who enters for a date waits for its moment', () => {
  const { enrolment } = enter(journeyOf(), { profileId: 7n, at: NOW + 5_000, startAt: NOW + 5_000, now: NOW })
  assert.equal(isDue(enrolment, NOW), false)
  assert.equal(enrolment.wakeAt, NOW + 5_000)
})

test('a send goes to every platform on which the person is, and then on', () => {
  const journey = journeyOf({ steps: [REMIND, HOUR] })
  const { enrolment, wishes, notes } = wake(journey, enrolmentOf(), { livePlatforms: ['ios', 'web'] })
  assert.deepEqual(
    wishes.map((wish) => (wish.kind === 'send' ? wish.platform : null)),
    ['ios', 'web'],
  )
  assert.deepEqual([enrolment.step, notes], ['hour', [{ step: 'remind', did: 'sent' }]])
})

test('a send to one platform leaves the others alone', () => {
  const journey = journeyOf({ steps: [{ id: 'remind', send: { to: 'ios' } }] })
  const { wishes, enrolment, notes } = wake(journey, enrolmentOf(), { livePlatforms: ['android'] })
  assert.deepEqual(wishes, [])
  assert.deepEqual(notes, [
    { step: 'remind', did: 'no_live_subscription' },
    { step: null, did: 'completed' },
  ])
  assert.deepEqual([enrolment.state, enrolment.step, enrolment.wakeAt], ['completed', null, null])
})

test('quiet hours hold a send back and lose nothing', () => {
  const journey = journeyOf({ quiet_hours: [{ from: '13:00', to: '15:00' }] })
  const { enrolment, wishes, notes } = wake(journey, enrolmentOf()) // it is 14:00 in Berlin
  assert.deepEqual([enrolment.step, enrolment.wakeAt], ['remind', Date.parse('2026-07-01T13:00:00Z')])
  assert.deepEqual([wishes, notes], [[], [{ step: 'remind', did: 'quiet_hours' }]])
})

test('a wait begins, and is over when its time has come', () => {
  const journey = journeyOf({ steps: [HOUR, REMIND] })
  const begun = wake(journey, enrolmentOf({ step: 'hour' })).enrolment
  assert.deepEqual([begun.isWaiting, begun.wakeAt], [true, NOW + 3_600_000])
  assert.deepEqual(wake(journey, begun).enrolment, begun)
  const over = wake(journey, { ...begun, wakeAt: NOW }).enrolment
  assert.deepEqual([over.step, over.isWaiting, over.wakeAt], ['remind', false, NOW])
})

const AWAIT = {
  id: 'verify',
  wait_for: { event: 'otp_verified', within: { hours: 1 }, yes: 'end', no: 'remind' },
}

test('an awaited event goes one way, a timeout the other', () => {
  const journey = journeyOf({ steps: [AWAIT, REMIND] })
  const waiting = enrolmentOf({ step: 'verify', isWaiting: true, stepAt: NOW, wakeAt: NOW })
  assert.equal(move(journey, waiting, event('otp_verified', NOW), NOW).enrolment.state, 'completed')
  const late = wake(journey, waiting)
  assert.deepEqual([late.enrolment.step, late.notes[0]?.did], ['remind', 'timed_out'])
})

test('an event from before the wait is not the awaited one, to the second', () => {
  const journey = journeyOf({ steps: [AWAIT, REMIND] })
  const waiting = enrolmentOf({ step: 'verify', isWaiting: true, stepAt: NOW + 900, wakeAt: NOW })
  assert.equal(move(journey, waiting, event('otp_verified', NOW - 1), NOW).enrolment, waiting)
  assert.equal(move(journey, waiting, event('otp_verified', NOW), NOW).enrolment.state, 'completed')
})

test('an event is awaited only once the wait has begun', () => {
  const journey = journeyOf({ steps: [AWAIT, REMIND] })
  const arriving = enrolmentOf({ step: 'verify', stepAt: NOW })
  assert.equal(move(journey, arriving, event('otp_verified', NOW), NOW).enrolment, arriving)
})

test('an event that came between the trigger and the wait for it is the awaited one', () => {
  const journey = journeyOf({ steps: [AWAIT, REMIND] })
  const arriving = enrolmentOf({ step: 'verify', stepAt: NOW - 5_000, enteredAt: NOW - 5_000 })
  const after = (at: number) => wake(journey, arriving, { recent: [event('otp_verified', at)] }).notes[0]?.did
  assert.equal(after(NOW - 2_000), 'event_came')
  assert.equal(after(NOW - 6_000), 'waiting')
})

test('the trigger is not the event that a first step waits for', () => {
  const step = { id: 'more', wait_for: { event: 'signup', within: { hours: 1 } } }
  const journey = journeyOf({ steps: [step, REMIND] })
  const arriving = enrolmentOf({ step: 'more', stepAt: NOW - 5_000, enteredAt: NOW - 5_000 })
  const after = (at: number) => wake(journey, arriving, { recent: [event('signup', at)] }).notes[0]?.did
  assert.equal(after(NOW - 5_000), 'waiting')
  assert.equal(after(NOW - 1_000), 'event_came')
})

test('after an awaited event another is awaited in the same second, whatever the clock of the first says', () => {
  const cart = { id: 'cart', wait_for: { event: 'cart', within: { hours: 1 }, yes: 'verify', no: 'end' } }
  const journey = journeyOf({ steps: [cart, AWAIT, REMIND] })
  const waiting = enrolmentOf({ step: 'cart', isWaiting: true, stepAt: NOW - 5_000, wakeAt: NOW + 5_000 })
  for (const at of [NOW, NOW + 600_000]) {
    const { enrolment } = move(journey, waiting, event('cart', at), NOW)
    const { notes } = wake(journey, enrolment, { recent: [event('otp_verified', NOW)] })
    assert.equal(notes[0]?.did, 'event_came')
  }
})

test('after an awaited event the same is awaited from the next second on, however long the way', () => {
  const again = { id: 'again', wait_for: { event: 'otp_verified', within: { hours: 1 } } }
  const verify = { ...AWAIT, wait_for: { ...AWAIT.wait_for, yes: 'remind', no: 'end' } }
  const journey = journeyOf({ steps: [verify, REMIND, again] })
  const waiting = enrolmentOf({ step: 'verify', isWaiting: true, stepAt: NOW - 5_000, wakeAt: NOW + 5_000 })
  const reminded = move(journey, waiting, event('otp_verified', NOW), NOW).enrolment
  const arriving = wake(journey, reminded, { livePlatforms: ['ios'] }).enrolment
  const after = (at: number) => wake(journey, arriving, { recent: [event('otp_verified', at)] }).notes[0]?.did
  assert.equal(after(NOW + 999), 'waiting')
  assert.equal(after(NOW + 1_000), 'event_came')
})

test('where two waits lead to each other, each hears from the second after the other on', () => {
  const cart = { id: 'cart', wait_for: { event: 'cart', within: { hours: 1 }, yes: 'verify', no: 'end' } }
  const verify = { ...AWAIT, wait_for: { ...AWAIT.wait_for, yes: 'cart', no: 'end' } }
  const journey = journeyOf({ steps: [cart, verify] })
  const waiting = enrolmentOf({ step: 'cart', isWaiting: true, stepAt: NOW - 5_000, wakeAt: NOW + 5_000 })
  const arriving = move(journey, waiting, event('cart', NOW), NOW).enrolment
  const after = (at: number) => wake(journey, arriving, { recent: [event('otp_verified', at)] }).notes[0]?.did
  assert.equal(after(NOW + 999), 'waiting')
  assert.equal(after(NOW + 1_000), 'event_came')
})

test('a goal counts from the trigger on, and not before it', () => {
  const journey = journeyOf({ goal: { event: 'otp_verified' } })
  const inside = enrolmentOf({ enteredAt: NOW })
  assert.equal(move(journey, inside, event('otp_verified', NOW + 1), NOW).enrolment.state, 'goal')
  assert.equal(move(journey, inside, event('otp_verified', NOW), NOW).enrolment.state, 'goal')
  assert.equal(move(journey, inside, event('otp_verified', NOW - 1_000), NOW).enrolment.state, 'active')
})

test('a goal looks at the attributes it asks for', () => {
  const where = [{ attribute: 'total', is: 'gte', value: 100 }]
  const journey = journeyOf({ goal: { event: 'purchase', where } })
  const buy = (total: number) => move(journey, enrolmentOf(), event('purchase', NOW, { total }), NOW)
  assert.equal(buy(99).enrolment.state, 'active')
  assert.equal(buy(100).enrolment.state, 'goal')
})

test('one event that is both goal and exit is a goal', () => {
  const journey = journeyOf({ goal: { event: 'x' }, exit: { event: 'x' } })
  assert.equal(move(journey, enrolmentOf(), event('x', NOW), NOW).enrolment.state, 'goal')
})

test('an attribute that nobody gave is missing, whatever its name', () => {
  for (const attribute of ['toString', 'constructor', '__proto__']) {
    const state = (is: string) => {
      const journey = journeyOf({ goal: { event: 'purchase', where: [{ attribute, is }] } })
      return move(journey, enrolmentOf(), event('purchase', NOW, {}), NOW).enrolment.state
    }
    assert.deepEqual([state('exists'), state('missing')], ['active', 'goal'])
  }
})

test('an exit event ends it without success', () => {
  const journey = journeyOf({ exit: { event: 'left' } })
  const { enrolment, notes } = move(journey, enrolmentOf(), event('left', NOW), NOW)
  assert.deepEqual([enrolment.state, notes], ['exited', [{ step: null, did: 'exit_event' }]])
})

test('whoever has left moves no more', () => {
  const journey = journeyOf({ goal: { event: 'x' } })
  const left = enrolmentOf({ state: 'completed', step: null, wakeAt: null })
  assert.equal(wake(journey, left).enrolment, left)
  assert.equal(move(journey, left, event('x', NOW), NOW).enrolment, left)
})

test('a branch follows the filter', () => {
  const branch = { id: 'b', branch: { filter: { tag: 'vip' }, yes: 'remind', no: 'hour' } }
  const journey = journeyOf({ steps: [branch, REMIND, HOUR] })
  const at = enrolmentOf({ step: 'b' })
  assert.equal(wake(journey, at, { isInFilter: true }).enrolment.step, 'remind')
  assert.equal(wake(journey, at, { isInFilter: false }).enrolment.step, 'hour')
})

test('a split is the same for one person each time, and close to its percentages', () => {
  const split = {
    id: 's',
    split: [
      { percent: 30, next: 'remind' },
      { percent: 70, next: 'hour' },
    ],
  }
  const journey = journeyOf({ steps: [split, REMIND, HOUR] })
  const wayOf = (profileId: bigint) => wake(journey, enrolmentOf({ step: 's', profileId })).enrolment.step
  const ways = Array.from({ length: 10_000 }, (_, index) => wayOf(BigInt(index)))
  const left = ways.filter((way) => way === 'remind').length
  assert.ok(left > 2_800 && left < 3_200, String(left))
  assert.deepEqual([wayOf(7n), wayOf(8n)], [ways[7], ways[8]])
})

test('a change of the person is wished for once', () => {
  const journey = journeyOf({ steps: [{ id: 'mark', set: { add_tag: 'reminded' } }] })
  const { wishes } = wake(journey, enrolmentOf({ step: 'mark' }))
  assert.deepEqual(wishes, [{ kind: 'change', change: { kind: 'tag', tag: 'reminded', isAdded: true } }])
})

test('a webhook step asks for one call of its endpoint', () => {
  const endpointId = '0198c5a0-0000-7000-8000-000000000000'
  const journey = journeyOf({ steps: [{ id: 'tell', webhook: { endpoint_id: endpointId } }] })
  const { wishes } = wake(journey, enrolmentOf({ step: 'tell' }))
  assert.deepEqual(wishes, [{ kind: 'call', stepId: 'tell', endpointId }])
  const gone = wake(journey, enrolmentOf({ step: 'tell' }), { isCallable: false })
  assert.deepEqual([gone.wishes, gone.notes[0]?.did], [[], 'not_called'])
})

test('what came due while sending was held and is skipped sends and calls nothing, in quiet hours neither', () => {
  const endpointId = '0198c5a0-0000-7000-8000-000000000000'
  const steps = [REMIND, { id: 'tell', webhook: { endpoint_id: endpointId } }]
  const journey = journeyOf({ steps, quiet_hours: [{ from: '00:00', to: '23:59' }] })
  for (const [step, next] of [
    ['remind', 'tell'],
    ['tell', null],
  ] as const) {
    const { wishes, notes, enrolment } = wake(journey, enrolmentOf({ step }), { isSkipping: true })
    assert.deepEqual([wishes, notes[0], enrolment.step], [[], { step, did: 'skipped' }, next])
  }
})

test('two triggers in one second let a person in once where re-entry is never', () => {
  const journey = journeyOf()
  assert.equal(mayEnter(journey, { inside: 0, isKnown: false }), true)
  assert.equal(mayEnter(journey, { inside: 1, isKnown: true }), false)
  assert.equal(mayEnter(journey, { inside: 0, isKnown: true }), false)
})

test('re-entry after exit waits for the exit; always has a bound', () => {
  const after = journeyOf({ reentry: 'after_exit' })
  assert.equal(mayEnter(after, { inside: 1, isKnown: true }), false)
  assert.equal(mayEnter(after, { inside: 0, isKnown: true }), true)
  const always = journeyOf({ reentry: 'always' })
  assert.equal(mayEnter(always, { inside: JOURNEY_LIMITS.insideMax - 1, isKnown: true }), true)
  assert.equal(mayEnter(always, { inside: JOURNEY_LIMITS.insideMax, isKnown: true }), false)
})

test('a person who is gone, or who was inside as somebody else before, goes no further', () => {
  assert.equal(wake(journeyOf(), enrolmentOf(), { isThere: false }).enrolment.state, 'exited')
  assert.deepEqual(wake(journeyOf(), enrolmentOf(), { isDouble: true }).notes, [
    { step: null, did: 'merged' },
  ])
  const later = enrolmentOf({ wakeAt: Number.MAX_SAFE_INTEGER })
  assert.equal(wake(journeyOf(), later, { isDouble: true }).enrolment.state, 'exited', 'due or not')
  const always = journeyOf({ reentry: 'always' })
  assert.equal(wake(always, enrolmentOf(), { isDouble: true }).notes[0]?.did, 'sent')
  assert.deepEqual(wake(always, later, { isDouble: true }).notes, [])
})

test('reminders end after so many steps', () => {
  const journey = journeyOf({ steps: [REMIND, { ...HOUR, next: 'remind' }] })
  const { visitsMax } = JOURNEY_LIMITS
  assert.equal(wake(journey, enrolmentOf({ visits: visitsMax })).enrolment.state, 'active')
  assert.deepEqual(wake(journey, enrolmentOf({ visits: visitsMax + 1 })).notes, [
    { step: null, did: 'too_long' },
  ])
})
