import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  attributeGoals,
  countGoalPeople,
  type Goal,
  type GoalEvent,
  type GoalMessage,
} from '../../src/domain/campaigns/goal.ts'

const SENT_AT = Date.parse('2026-11-17T09:00:00.500Z')
const DAY_MS = 86_400_000
const GOAL: Goal = { match: { event: 'purchase', where: [] }, from: 'delivery', withinMs: 3 * DAY_MS }

function message(given: Partial<GoalMessage> = {}): GoalMessage {
  return {
    profileId: 1n,
    source: { kind: 'campaign', id: 1n },
    goal: GOAL,
    step: null,
    notificationId: '01',
    subscriptionId: 1n,
    platform: 'web',
    variant: null,
    at: SENT_AT,
    ...given,
  }
}

function purchase(at: number, given: Partial<GoalEvent> = {}): GoalEvent {
  return { kind: 'event', id: 1n, profileId: 1n, name: 'purchase', at, attributes: {}, ltv: '10', ...given }
}

function sourcesOf(messages: readonly GoalMessage[], events: readonly GoalEvent[]): readonly bigint[] {
  return attributeGoals({ messages, events }, SENT_AT).map((conversion) => conversion.message.source.id)
}

function counts(at: number): boolean {
  return sourcesOf([message()], [purchase(at)]).length === 1
}

test('an event counts from the moment of the message to the end of its time, which it does not reach', () => {
  assert.deepEqual(
    [SENT_AT, SENT_AT + 1, SENT_AT + 3 * DAY_MS - 1].map(counts),
    [true, true, true],
    'the same millisecond, the next, the last',
  )
  assert.deepEqual([SENT_AT - 1_000, SENT_AT + 3 * DAY_MS].map(counts), [false, false])
})

test('an event that is told to the second counts for a message of that second', () => {
  assert.equal(sourcesOf([message()], [purchase(SENT_AT - 500)]).length, 1)
})

test('an event counts for the last message before it, and once', () => {
  const two = { source: { kind: 'campaign', id: 2n }, notificationId: '02', at: SENT_AT + 60_000 } as const
  const both = [message(), message(two)]
  assert.deepEqual(sourcesOf(both, [purchase(SENT_AT + 61_000)]), [2n])
  assert.deepEqual(sourcesOf(both.toReversed(), [purchase(SENT_AT + 61_000)]), [2n])
  assert.deepEqual(sourcesOf(both, [purchase(SENT_AT + 59_000)]), [1n])
  const atOnce = [message(), message({ ...two, at: SENT_AT })]
  assert.deepEqual(
    sourcesOf(atOnce, [purchase(SENT_AT)]),
    sourcesOf(atOnce.toReversed(), [purchase(SENT_AT)]),
  )
})

test('an event counts only for its own person, and only if it is the one that is asked for', () => {
  const where = [
    { kind: 'attribute', attribute: 'total', comparison: { kind: 'order', is: 'gte', value: 50 } },
  ] as const
  const picky = message({ goal: { ...GOAL, match: { event: 'purchase', where } } })
  const at = SENT_AT + 1_000
  assert.equal(sourcesOf([picky], [purchase(at, { attributes: { total: 50 } })]).length, 1)
  assert.equal(sourcesOf([picky], [purchase(at, { attributes: { total: 49 } })]).length, 0)
  assert.equal(sourcesOf([message()], [purchase(at, { profileId: 2n })]).length, 0)
  assert.equal(sourcesOf([message()], [purchase(at, { name: 'refund' })]).length, 0)
})

test('a person reaches the goal by any event after the planned send, also without a message', () => {
  const people = [
    { campaignId: 1n, profileId: 1n, plannedAt: SENT_AT },
    { campaignId: 1n, profileId: 2n, plannedAt: SENT_AT },
    { campaignId: 9n, profileId: 1n, plannedAt: SENT_AT },
  ]
  const events = [
    purchase(SENT_AT - DAY_MS),
    purchase(SENT_AT + DAY_MS, { id: 2n }),
    purchase(SENT_AT + 2 * DAY_MS, { id: 3n }),
    purchase(SENT_AT + 3 * DAY_MS, { id: 4n }),
  ]
  const reached = countGoalPeople({ people, events, goals: new Map([[1n, GOAL]]) }, SENT_AT)
  assert.deepEqual(
    reached.map((one) => [one.campaignId, one.profileId, one.events.map(({ id }) => id)]),
    [[1n, 1n, [2n, 3n]]],
  )
})
