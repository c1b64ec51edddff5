import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPair, planWebCredential, subjectFault } from '../../src/domain/push/channel.ts'
import { readIosCredential, readWebCredential, vapidKeyAt } from '../../src/domain/push/credential.ts'
import { CHANNEL_LIMITS } from '../../src/rules/channels.ts'

const PAIR = { publicKey: 'public', privateKey: 'private' }
const DEFAULTS = { subject: 'mailto:push@example.com', pair: { publicKey: 'own', privateKey: 'own' }, now: 5 }

/** The field at fault, or the pair that is taken. */
function judged(given: Partial<typeof PAIR>, derived: string | null) {
  const checked = checkPair(given, derived)
  return checked.ok ? checked.value : checked.rejection.faults[0].field
}

test('a key pair is taken whole, by its private key, or not at all', () => {
  assert.equal(judged({}, null), null)
  assert.equal(judged({ publicKey: 'public' }, null), 'private_key')
  assert.equal(judged({ privateKey: 'private' }, null), 'private_key')
  assert.equal(judged(PAIR, 'another'), 'public_key')
  assert.deepEqual(judged(PAIR, 'public'), PAIR)
  assert.deepEqual(judged({ privateKey: 'private' }, 'public'), PAIR)
})

const SUBJECTS = {
  'mailto:push@example.com': true,
  'https://example.com/contact': true,
  'mailto:push@localhost': false,
  'mailto:push': false,
  'https://localhost': false,
  'http://example.com': false,
  'tel:push@example.com': false,
  'not an address': false,
}

for (const [subject, isGood] of Object.entries(SUBJECTS)) {
  test(`${subject} is ${isGood ? 'a' : 'no'} contact address`, () =>
    assert.equal(subjectFault(subject) === null, isGood))
}

test('a new pair goes first, the old ones are kept up to a limit, and none stands twice', () => {
  const pairs = Array.from({ length: CHANNEL_LIMITS.vapidKeysMax + 1 }, (_, at) => ({
    publicKey: `${at}`,
    privateKey: `${at}`,
  }))
  const grown = pairs.reduce<ReturnType<typeof planWebCredential> | null>(
    (old, pair) => planWebCredential(old, { subject: null, pair }, DEFAULTS),
    null,
  )
  assert.ok(grown !== null)
  assert.equal(grown.keys.length, CHANNEL_LIMITS.vapidKeysMax)
  assert.equal(grown.keys[0].publicKey, `${CHANNEL_LIMITS.vapidKeysMax}`)
  const again = planWebCredential(grown, { subject: null, pair: pairs[1] ?? PAIR }, DEFAULTS)
  assert.equal(new Set(again.keys.map(({ publicKey }) => publicKey)).size, again.keys.length)
})

test('a subscription that names no key has the key that was in use when it was made', () => {
  const keys = [
    { publicKey: 'new', privateKey: '', since: 200 },
    { publicKey: 'old', privateKey: '', since: 100 },
  ] as const
  const at = (moment: number): string => vapidKeyAt({ subject: '', keys }, moment).publicKey
  assert.deepEqual([at(99), at(100), at(199), at(200)], ['old', 'old', 'old', 'new'])
})

test('a stored credential is read as it was written, and a damaged one is an error', () => {
  const ios = { keyPem: 'pem', keyId: 'id', teamId: 'team', bundleId: 'bundle' }
  for (const environment of ['sandbox', 'production'] as const) {
    const stored = { ...ios, environment }
    assert.deepEqual(readIosCredential(JSON.stringify(stored)), stored)
  }
  assert.throws(() => readIosCredential(JSON.stringify(ios)), /lacks its environment/)
  assert.throws(() => readIosCredential('null'), /no object/)
  assert.throws(() => readIosCredential('"text"'), /no object/)
  assert.throws(() => readWebCredential('{"subject":"s","keys":[]}'), /no key/)
  const web = { subject: 's', keys: [{ publicKey: 'a', privateKey: 'b', since: 7 }] }
  assert.deepEqual(readWebCredential(JSON.stringify(web)), web)
})
