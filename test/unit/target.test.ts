import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Candidate,
  resolveTarget,
  type TargetFacts,
  type TargetKeys,
} from '../../src/domain/push/target.ts'
import { PLATFORM_NAMES } from '../../src/rules/platforms.ts'

const NOBODY: TargetKeys = { userId: null, subscriptionId: null, eitherId: null, deviceId: null }
const NOTHING: TargetFacts = { userProfileId: null, eitherProfileId: null, candidates: [] }

function candidate(parts: Partial<Candidate>): Candidate {
  return {
    id: 1n,
    subscriptionId: 's1',
    profileId: 1n,
    platform: 'android',
    deviceId: 'd1',
    isLive: true,
    tags: [],
    ...parts,
  }
}

const PHONE = candidate({})
const TABLET = candidate({ id: 2n, subscriptionId: 's2', deviceId: 'd2' })
const STRANGER = candidate({ id: 3n, subscriptionId: 's3', deviceId: 'd3', profileId: 9n })
const BROWSER = candidate({ id: 4n, subscriptionId: 's4', deviceId: null, platform: 'web' })
const RETIRED = candidate({ id: 5n, subscriptionId: 's5', deviceId: 'd5', isLive: false })

function outcome(keys: Partial<TargetKeys>, facts: Partial<TargetFacts>): readonly bigint[] | string {
  const found = resolveTarget({ ...NOBODY, ...keys }, { ...NOTHING, ...facts }, 'android')
  return found.ok ? found.value.map(({ id }) => id) : found.rejection.faults[0].code
}

test('a user is reached on all live devices of the platform and on no other', () => {
  const facts = { userProfileId: 1n, candidates: [PHONE, TABLET, BROWSER, RETIRED] }
  assert.deepEqual(outcome({ userId: 'u1' }, facts), [1n, 2n])
})

test('a subscription or a device is one', () => {
  assert.deepEqual(outcome({ subscriptionId: 's2' }, { candidates: [TABLET] }), [2n])
  assert.deepEqual(outcome({ deviceId: 'd2' }, { candidates: [TABLET] }), [2n])
})

test('keys that agree narrow each other', () => {
  const facts = { userProfileId: 1n, candidates: [PHONE, TABLET] }
  assert.deepEqual(outcome({ userId: 'u1', subscriptionId: 's2' }, facts), [2n])
  assert.deepEqual(outcome({ userId: 'u1', deviceId: 'd1' }, facts), [1n])
})

test('keys that name different subscribers are refused', () => {
  const facts = { userProfileId: 1n, candidates: [PHONE, STRANGER] }
  assert.equal(outcome({ userId: 'u1', subscriptionId: 's3' }, facts), 'identifiers_disagree')
  assert.equal(outcome({ subscriptionId: 's1', deviceId: 'd3' }, facts), 'identifiers_disagree')
  assert.equal(
    outcome({ userId: 'u1', eitherId: 'u9' }, { ...facts, eitherProfileId: 9n }),
    'identifiers_disagree',
  )
  assert.equal(
    outcome({ userId: 'u1', subscriptionId: 's3' }, { userProfileId: 1n, candidates: [STRANGER] }),
    'identifiers_disagree',
  )
})

test('the combined key means the user of that name before the subscription of it', () => {
  const namesake = candidate({ id: 7n, subscriptionId: 'x', profileId: 9n })
  const facts = { candidates: [namesake, candidate({ id: 8n, profileId: 2n })] }
  assert.deepEqual(outcome({ eitherId: 'x' }, { ...facts, eitherProfileId: 2n }), [8n])
  assert.deepEqual(outcome({ eitherId: 'x' }, facts), [7n])
})

test('what nobody knows is not found, whatever is known beside it', () => {
  assert.equal(outcome({ userId: 'u1' }, {}), 'subscriber_not_found')
  assert.equal(outcome({ eitherId: 'u1' }, {}), 'subscriber_not_found')
  assert.equal(outcome({ deviceId: 'd1' }, { candidates: [] }), 'subscriber_not_found')
  assert.equal(
    outcome({ userId: 'u1', subscriptionId: 'nope' }, { userProfileId: 1n, candidates: [PHONE] }),
    'subscriber_not_found',
  )
})

test('a known subscriber without a live subscription on the platform is told apart', () => {
  assert.equal(outcome({ userId: 'u1' }, { userProfileId: 1n }), 'no_live_subscription')
  assert.equal(
    outcome({ userId: 'u1', eitherId: 'u1' }, { userProfileId: 1n, eitherProfileId: 1n }),
    'no_live_subscription',
  )
  assert.equal(
    outcome({ userId: 'u1' }, { userProfileId: 1n, candidates: [BROWSER, RETIRED] }),
    'no_live_subscription',
  )
  assert.equal(outcome({ subscriptionId: 's5' }, { candidates: [RETIRED] }), 'no_live_subscription')
})

test('a device id counts on its own platform only', () => {
  for (const platform of PLATFORM_NAMES.filter((name) => name !== 'android')) {
    assert.equal(
      outcome({ deviceId: 'd1' }, { candidates: [candidate({ platform })] }),
      'subscriber_not_found',
    )
  }
})
