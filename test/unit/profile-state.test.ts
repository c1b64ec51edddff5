import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailFlaw, userIdFlaw } from '../../src/domain/people/identifiers.ts'
import {
  changeProfile,
  joinProfiles,
  type ProfileState,
  partProfiles,
} from '../../src/domain/people/profile-state.ts'
import { PROFILE_ATTRIBUTES } from '../../src/rules/attributes.ts'
import { PROFILE_LIMITS } from '../../src/rules/people.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/rules/subscriptions.ts'

const NOW = 9_000

function profileOf(change: Partial<ProfileState> = {}): ProfileState {
  const blank = { email: null, mobile: null, attributes: {}, mistyped: null, tags: [], optOuts: {} }
  return { ...blank, createdAt: 1_000, updatedAt: 1_000, ...change }
}

function attributesOf(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, at]))
}

function changedBy(state: ProfileState, shown: Record<string, unknown>, tags: readonly string[] = []) {
  const entry = {
    email: undefined,
    mobile: undefined,
    removed: [],
    tags: { kind: 'edit', add: tags, remove: [] },
  } as const
  const changed = changeProfile(state, { entry, shown, mistyped: null }, NOW)
  return changed.ok ? Object.keys(changed.value.attributes).length : changed.rejection.faults[0].code
}

test('a profile has at most so many attributes, and no more', () => {
  const { countMax } = PROFILE_ATTRIBUTES
  assert.equal(changedBy(profileOf({ attributes: attributesOf(countMax - 1) }), { one: 1 }), countMax)
  assert.equal(
    changedBy(profileOf({ attributes: attributesOf(countMax) }), { one: 1 }),
    'too_many_attributes',
  )
})

test('an entry that would bring too many tags changes nothing', () => {
  const tags = Array.from({ length: SUBSCRIPTION_LIMITS.tagsMax }, (_, at) => `t${at}`)
  assert.equal(changedBy(profileOf({ tags }), { one: 1 }), 1)
  assert.equal(changedBy(profileOf({ tags }), { one: 1 }, ['another']), 'field_too_long')
})

test('of two profiles that differ the later one wins, and of two equally old the survivor', () => {
  const survivor = profileOf({ email: 'old@example.com', attributes: { plan: 'old', only: 1 } })
  const absorbed = profileOf({ email: 'new@example.com', attributes: { plan: 'new' } })
  assert.equal(joinProfiles(survivor, absorbed, NOW).email, 'old@example.com')
  const later = joinProfiles(survivor, { ...absorbed, updatedAt: 1_001 }, NOW)
  assert.deepEqual(
    { email: later.email, attributes: later.attributes, mistyped: later.mistyped },
    { email: 'new@example.com', attributes: { plan: 'new', only: 1 }, mistyped: null },
  )
  const mistyped = joinProfiles(profileOf({ mistyped: { plan: 1 } }), absorbed, NOW)
  assert.deepEqual(mistyped.mistyped, { plan: 1 })
})

test('an undone merge gives back each field that nobody has changed since', () => {
  const survivor = profileOf({
    email: 'old@example.com',
    mobile: '+4930000001',
    tags: ['a'],
    attributes: { n: 1 },
  })
  const absorbed = profileOf({
    email: 'new@example.com',
    mobile: '+4930000002',
    tags: ['b'],
    attributes: { n: 2, m: 3 },
    updatedAt: 2_000,
  })
  const joined = joinProfiles(survivor, absorbed, NOW)
  const untouched = partProfiles(joined, { survivor, joined }, NOW)
  assert.deepEqual(untouched, { ...survivor, updatedAt: NOW })
  const touched = {
    ...joined,
    email: 'own@example.com',
    mobile: null,
    tags: ['a', 'b', 'c'],
    attributes: { n: 4, m: 3 },
  }
  const parted = partProfiles(touched, { survivor, joined }, NOW)
  assert.deepEqual(
    { email: parted.email, mobile: parted.mobile, tags: parted.tags, attributes: parted.attributes },
    { email: 'own@example.com', mobile: null, tags: ['a', 'c'], attributes: { n: 4 } },
  )
})

test('an identifier may be as long as its limit, and no longer', () => {
  const { emailCharsMax, userIdCharsMax } = PROFILE_LIMITS
  const email = `${'a'.repeat(emailCharsMax - 6)}@ex.io`
  assert.equal(emailFlaw(email), null)
  assert.match(emailFlaw(`a${email}`) ?? '', /longer than/)
  assert.equal(userIdFlaw('u'.repeat(userIdCharsMax)), null)
  assert.match(userIdFlaw('u'.repeat(userIdCharsMax + 1)) ?? '', /longer than/)
})
