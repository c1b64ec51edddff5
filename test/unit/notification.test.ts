import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ttlLeft } from '../../src/domain/push/message.ts'
import {
  type AudienceFacts,
  type Draft,
  planCancel,
  planNotification,
} from '../../src/domain/push/notification.ts'
import type { Schedule } from '../../src/domain/push/schedule.ts'
import { NOTIFICATION_STATES, type NotificationState } from '../../src/rules/push.ts'
import { anyContent } from '../support/push/content.ts'

const NOW = 1_000_000
const DUE: Schedule = { isDue: true, sendAt: NOW, lastAt: NOW, wall: null }
const LATER: Schedule = { isDue: false, sendAt: NOW + 5_000, lastAt: NOW + 5_000, wall: null }
const KEYS = { userId: 'u1', subscriptionId: null, eitherId: null, deviceId: null }
const DRAFT: Draft = {
  platform: 'android',
  target: { kind: 'one', keys: KEYS },
  tag: null,
  topic: null,
  callerNotificationId: null,
  content: anyContent({ ttlSeconds: 60 }),
  alternatives: null,
  template: null,
  timing: { kind: 'now' },
  perSecond: null,
  ignoresCap: false,
  reachesVirtual: false,
  isDryRun: false,
}

function device(id: bigint, tags: readonly string[]) {
  return {
    id,
    subscriptionId: `s${id}`,
    profileId: 1n,
    platform: 'android',
    deviceId: null,
    isLive: true,
    tags,
  } as const
}

const ONE: AudienceFacts = {
  kind: 'one',
  keys: KEYS,
  found: { userProfileId: 1n, eitherProfileId: null, candidates: [device(1n, ['vip']), device(2n, [])] },
}

function planned(draft: Draft, schedule: Schedule, facts: AudienceFacts) {
  const plan = planNotification(draft, schedule, facts)
  assert.ok(plan.ok)
  return plan.value
}

test('what is due is queued with its audience and expires after its ttl', () => {
  assert.deepEqual(planned(DRAFT, DUE, ONE), {
    state: 'queued',
    sendAt: NOW,
    expiresAt: NOW + 60_000,
    handOverSeconds: 60,
    wall: null,
    bestHourUntil: null,
    audience: 2,
    recipients: [1n, 2n],
    lasting: { profileId: 1n, subscriptionIds: null },
  })
})

test('what no device may wait for still has a minute to be handed over', () => {
  const plan = planned({ ...DRAFT, content: anyContent({ ttlSeconds: 0 }) }, DUE, ONE)
  assert.deepEqual([plan.handOverSeconds, plan.expiresAt], [60, NOW + 60_000])
})

test('a short ttl is the time to hand the message over, too', () => {
  const plan = planned({ ...DRAFT, content: anyContent({ ttlSeconds: 1 }) }, DUE, ONE)
  assert.deepEqual([plan.handOverSeconds, plan.expiresAt], [1, NOW + 1_000])
})

test('a provider is told what is left of a ttl in whole seconds, and 0 only for 0', () => {
  assert.deepEqual(
    [ttlLeft(120, 119_990), ttlLeft(120, 72_000), ttlLeft(120, 1), ttlLeft(120, 500_000), ttlLeft(0, 60_000)],
    [120, 72, 1, 120, 0],
  )
})

test('a later send means the person, but the device where one was named', () => {
  const keys = { ...KEYS, subscriptionId: 's2' }
  const named = { ...ONE, keys }
  assert.deepEqual(planned({ ...DRAFT, target: { kind: 'one', keys } }, LATER, named).lasting, {
    profileId: 1n,
    subscriptionIds: [2n],
  })
  assert.deepEqual(planned(DRAFT, LATER, ONE).lasting, { profileId: 1n, subscriptionIds: null })
})

test('a person of a journey is looked up at the time of sending, with the same time to be handed over', () => {
  const draft = { ...DRAFT, target: { kind: 'person', profileId: 7n } } as const
  const plan = planned(draft, DUE, draft.target)
  const { sendAt, expiresAt, handOverSeconds } = planned(DRAFT, DUE, ONE)
  assert.deepEqual(plan, {
    state: 'scheduled',
    sendAt,
    expiresAt,
    handOverSeconds,
    wall: null,
    bestHourUntil: null,
    audience: null,
    recipients: null,
    lasting: { profileId: 7n, subscriptionIds: null },
  })
})

test('a tag narrows one subscriber’s devices, down to none', () => {
  assert.deepEqual(planned({ ...DRAFT, tag: 'vip' }, DUE, ONE).recipients, [1n])
  assert.equal(planned({ ...DRAFT, tag: 'nobody' }, DUE, ONE).audience, 0)
})

test('what comes later decides its audience then', () => {
  const plan = planned(DRAFT, LATER, ONE)
  assert.deepEqual([plan.state, plan.audience, plan.recipients], ['scheduled', null, null])
})

test('a schedule on each subscriber’s clock decides its audience as it goes, and expires after the last zone', () => {
  const plan = planned(
    DRAFT,
    { isDue: true, sendAt: NOW, lastAt: NOW + 9_000, wall: '2026-01-01T09:00:00' },
    ONE,
  )
  assert.deepEqual([plan.state, plan.audience, plan.expiresAt], ['queued', null, NOW + 69_000])
})

test('a campaign by each person’s own hour decides its audience when it is planned', () => {
  const until = NOW + 9_000
  const all = { kind: 'all', audience: 5 } as const
  const plan = planned(DRAFT, { ...DUE, lastAt: until, bestHourUntil: until }, all)
  assert.deepEqual([plan.audience, plan.bestHourUntil, plan.expiresAt], [null, until, NOW + 69_000])
})

test('an unknown subscriber or segment is refused also when the schedule lies ahead', () => {
  const nobody: AudienceFacts = {
    kind: 'one',
    keys: KEYS,
    found: { userProfileId: null, eitherProfileId: null, candidates: [] },
  }
  assert.ok(!planNotification(DRAFT, LATER, nobody).ok)
  const plan = planNotification(DRAFT, LATER, {
    kind: 'unknown_segment',
    segmentId: 9_223_372_036_854_775_807n,
  })
  assert.ok(!plan.ok)
  assert.equal(plan.rejection.faults[0].message, 'This brand has no segment 9223372036854775807.')
})

test('a segment with nobody in it is accepted', () => {
  assert.equal(planned(DRAFT, DUE, { kind: 'segment', segmentId: 7n, audience: 0 }).audience, 0)
})

const STATES = Object.keys(NOTIFICATION_STATES).filter(
  (name): name is NotificationState => name in NOTIFICATION_STATES,
)

test('every state leads to states that exist, and the final ones nowhere', () => {
  for (const state of STATES) for (const next of NOTIFICATION_STATES[state]) assert.ok(STATES.includes(next))
  const final = STATES.filter((state) => NOTIFICATION_STATES[state].length === 0)
  assert.deepEqual(final, ['sent', 'cancelled', 'failed'])
})

test('a notification can be cancelled until it is sent or failed, and twice', () => {
  assert.deepEqual(
    STATES.filter((state) => planCancel(state).ok),
    ['scheduled', 'queued', 'sending', 'cancelled'],
  )
})
