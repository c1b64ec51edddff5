import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Identity, planIdentities } from '../../src/domain/people/identity-plan.ts'

const nobody = { userId: null, email: null, mobile: null }
const ann: Identity = { kind: 'user_id', value: 'ann', profileId: 1n, profileCreatedAt: 100 }
const annMail: Identity = { kind: 'email', value: 'ann@x.example', profileId: 1n, profileCreatedAt: 100 }
const bob: Identity = { kind: 'email', value: 'bob@x.example', profileId: 2n, profileCreatedAt: 50 }

test('a person whose names are all known changes nothing', () => {
  const plan = planIdentities([{ ...nobody, userId: 'ann', email: 'ann@x.example' }], [ann, annMail])
  assert.deepEqual(plan, { newcomers: [], added: [], merges: [] })
})

test('somebody unknown is one newcomer with all names, however many entries bring them', () => {
  const { newcomers } = planIdentities(
    [
      { ...nobody, userId: 'u', email: 'e' },
      { ...nobody, email: 'e', mobile: 'm' },
      { ...nobody, mobile: 'm' },
    ],
    [],
  )
  assert.deepEqual(newcomers, [
    [
      { kind: 'user_id', value: 'u' },
      { kind: 'email', value: 'e' },
      { kind: 'mobile', value: 'm' },
    ],
  ])
})

test('a new name is added to the profile the others lead to', () => {
  const { added } = planIdentities([{ ...nobody, userId: 'ann', email: 'new@x.example' }], [ann])
  assert.deepEqual(added, [{ kind: 'email', value: 'new@x.example', profileId: 1n, profileCreatedAt: 100 }])
})

test('names of two people merge them, and the older survives', () => {
  const { merges } = planIdentities([{ ...nobody, userId: 'ann', email: 'bob@x.example' }], [ann, bob])
  assert.deepEqual(merges, [{ survivor: { id: 2n, createdAt: 50 }, absorbed: [1n] }])
})

test('people are tied together across entries', () => {
  const carl: Identity = { kind: 'mobile', value: '+49', profileId: 3n, profileCreatedAt: 70 }
  const { merges } = planIdentities(
    [
      { ...nobody, userId: 'ann', email: 'bob@x.example' },
      { ...nobody, email: 'bob@x.example', mobile: '+49' },
    ],
    [ann, bob, carl],
  )
  assert.deepEqual(merges, [{ survivor: { id: 2n, createdAt: 50 }, absorbed: [3n, 1n] }])
})

test('the same text as an email and as a user id is two names', () => {
  const { newcomers } = planIdentities(
    [
      { ...nobody, userId: 'x@y' },
      { ...nobody, email: 'x@y' },
    ],
    [],
  )
  assert.equal(newcomers.length, 2)
})
