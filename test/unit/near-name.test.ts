import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from '../../src/domain/values/near-name.ts'
import { parsePushBody } from '../../src/http/push/body.ts'
import { pushRules } from '../../src/http/push/field-rules.ts'
import { PUSH_FIELD_SYNONYMS, PUSH_LIMITS } from '../../src/rules/push.ts'
import { PUSH_FIELDS } from '../../src/rules/push-fields.ts'
import { leastBody, PUSH_ADDRESSES } from '../support/push/push.ts'

const KNOWN = ['tag', 'title', 'dry_run', 'schedule_date', 'time', 'url']

const CLOSE = [
  ['tags', 'tag'],
  ['TAG', 'tag'],
  ['titel', 'title'],
  ['dryRun', 'dry_run'],
  ['dry-run', 'dry_run'],
  ['scheduled_date', 'schedule_date'],
  ['shedule_dat', 'schedule_date'],
  ['times', 'time'],
] as const
for (const [given, meant] of CLOSE) {
  test(`${given} is close to ${meant}`, () => assert.equal(nearestName(given, KNOWN), meant))
}

const FAR = ['colour', 'tab', 'uri', 'campaign', '', '__proto__', 'x'.repeat(50_000)] as const
for (const given of FAR) {
  test(`${given.slice(0, 20)} is close to nothing`, () => assert.equal(nearestName(given, KNOWN), null))
}

/** What happens to a name under somebody's fingers. */
function typingErrors(name: string): readonly string[] {
  const middle = Math.floor(name.length / 2)
  return [
    name.toUpperCase(),
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    name.replaceAll('_', '-'),
    `${name}s`,
    `${name.slice(0, middle)}${name.slice(middle + 1)}`,
    `${name.slice(0, middle)}${name[middle + 1] ?? ''}${name[middle] ?? ''}${name.slice(middle + 2)}`,
  ]
}

test('no typing error in a field of a push is accepted as if the field were absent', () => {
  for (const address of PUSH_ADDRESSES) {
    const { bySpelling } = pushRules(address)
    for (const { name } of PUSH_FIELDS.filter((row) => row.name.length > 4)) {
      for (const given of typingErrors(name).filter((word) => !bySpelling.has(word))) {
        const parsed = parsePushBody(address, { ...leastBody(address), [given]: 'x' })
        assert.ok(!parsed.ok, `${given} for ${name}`)
        assert.equal(parsed.rejection.faults[0].code, 'unknown_field', `${given} for ${name}`)
      }
    }
  }
})

test('every synonym leads to a field that exists, and is no field itself', () => {
  const names: readonly string[] = PUSH_FIELDS.map(({ name }) => name)
  for (const [synonym, field] of Object.entries(PUSH_FIELD_SYNONYMS)) {
    assert.ok(names.includes(field), field)
    assert.ok(!names.includes(synonym), synonym)
  }
})

test('a body of very many fields that are close to known ones is refused with few faults', () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`schedule_${at}`, 1]))
  const [address] = PUSH_ADDRESSES
  assert.ok(address !== undefined)
  const parsed = parsePushBody(address, { ...leastBody(address), dryRun: true, ...many })
  assert.ok(!parsed.ok)
  assert.equal(parsed.rejection.faults.length, PUSH_LIMITS.warningsMax)
})

test('a name is compared up to forty characters, and a short one has to be closer', () => {
  const long = 'a'.repeat(40)
  assert.equal(nearestName(long.toUpperCase(), [long]), long)
  assert.equal(nearestName(`${long}b`, [`${long}b`]), null)
  assert.equal(nearestName('abs', ['ab']), null)
  assert.equal(nearestName('abcdxy', ['abcdef']), 'abcdef', 'two of six letters')
  assert.equal(nearestName('abcxy', ['abcde']), null, 'two of five letters')
  assert.equal(nearestName('abcdx', ['abcde']), 'abcde')
})
