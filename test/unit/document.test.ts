import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fits } from '../../src/domain/values/document.ts'
import { startReading } from '../../src/domain/values/document-reading.ts'
import type { DocumentShape } from '../../src/rules/documents.ts'

type Reading = { readonly isFine: boolean; readonly messages: readonly string[] }

/** A value held to a shape, in a document of a caller or in a stored one. */
function read(shape: DocumentShape, value: unknown, from: 'caller' | 'store' = 'caller'): Reading {
  const reading = startReading({}, { kind: 'filter', isJudged: from === 'caller' })
  const isFine = fits(reading, shape, { path: 'it', value })
  return { isFine, messages: reading.faults.map(({ message }) => message) }
}

function refusal(shape: DocumentShape, value: unknown): string {
  const { isFine, messages } = read(shape, value)
  assert.ok(!isFine)
  return messages.join()
}

const INTEGER: DocumentShape = { type: 'integer', min: 1, max: 9 }
const BELOW_ZERO: DocumentShape = { type: 'integer', min: -5, max: 5 }
const BOUND: DocumentShape = { type: 'bound', words: ['days', 'hours'], max: 30 }
const UUID: DocumentShape = { type: 'uuid', of: 'a template' }
const ID = '0199d2a0-7c1e-7000-8000-0123456789ab'

test('a whole number is within its bounds, both included', () => {
  for (const value of [1, 9]) assert.ok(read(INTEGER, value).isFine)
  for (const value of [0, 10, 1.5, '5', null]) assert.match(refusal(INTEGER, value), /1 to 9/)
})

test('a stored number may be above its maximum, but neither below its minimum nor no number', () => {
  assert.ok(read(INTEGER, 10, 'store').isFine)
  assert.ok(read(INTEGER, 1, 'store').isFine)
  assert.ok(!read(INTEGER, 0, 'store').isFine)
  assert.ok(!read(INTEGER, -1, 'store').isFine)
  assert.ok(!read(INTEGER, '1', 'store').isFine)
  assert.ok(read(BELOW_ZERO, -6, 'store').isFine, 'the minimum may have been lower once')
  assert.ok(!read({ type: 'integer', min: 0, max: 5 }, -1, 'store').isFine)
})

test('a duration has one known word and a number from zero to its maximum', () => {
  for (const value of [{ days: 0 }, { hours: 30 }]) assert.ok(read(BOUND, value).isFine)
  for (const value of [
    { days: 31 },
    { days: -1 },
    { weeks: 1 },
    { days: 1, hours: 1 },
    { days: 0.5 },
    {},
    1,
  ]) {
    assert.match(refusal(BOUND, value), /one key of days, hours, with 0 to 30/)
  }
  assert.ok(read(BOUND, { days: 31 }, 'store').isFine)
  assert.ok(!read(BOUND, { days: -1 }, 'store').isFine)
})

test('an id is a text of the form of an id', () => {
  assert.ok(read(UUID, ID).isFine)
  for (const value of ['nothing', 5, null]) assert.match(refusal(UUID, value), /the id of a template/)
})

test('the refusal of a text says both bounds where there are two', () => {
  assert.match(refusal({ type: 'text', charsMin: 0, charsMax: 3 }, 'four'), /at most 3 characters/)
  assert.match(refusal({ type: 'text', charsMin: 1, charsMax: 3 }, ''), /1 to 3 characters/)
  assert.ok(read({ type: 'text', charsMin: 0, charsMax: 3 }, '').isFine)
})

test('the refusal of a list says the bounds that it has', () => {
  const list = { type: 'list', of: { type: 'boolean' }, noun: 'answers' } as const
  assert.match(refusal({ ...list, itemsMin: 0, itemsMax: 1 }, [true, true]), /at most 1 answers/)
  assert.match(refusal({ ...list, itemsMin: 1, itemsMax: 2 }, []), /1 to 2 answers/)
  assert.match(refusal({ ...list, itemsMin: 1, itemsMax: null }, []), /at least 1 answers/)
  assert.ok(read({ ...list, itemsMin: 1, itemsMax: 2 }, [true, false]).isFine)
})

test('an object of forms has exactly one of them, and a comparison a known operator', () => {
  const forms: DocumentShape = {
    type: 'forms',
    forms: {
      age: {
        meaning: '',
        shape: { type: 'boolean' },
        compares: { '*': { eq: { type: 'number' }, set: null } },
      },
      all: { meaning: '', shape: { type: 'boolean' } },
    },
  }
  assert.ok(read(forms, { all: true }).isFine)
  assert.ok(read(forms, { age: true, is: 'eq', value: 5 }).isFine)
  assert.ok(read(forms, { age: true, is: 'set' }).isFine)
  for (const value of [{}, { all: true, age: true }, { other: true }, 5]) {
    assert.match(refusal(forms, value), /one key of age, all/)
  }
  for (const is of ['constructor', 'no', 5, undefined]) {
    assert.match(refusal(forms, { age: true, is, value: 5 }), /one of eq, set/)
  }
  assert.match(refusal(forms, { age: true, is: 'set', value: 5 }), /set takes no value/)
})

function withKey(use: 'nullable' | 'optional'): DocumentShape {
  return { type: 'object', keys: { a: { use, shape: { type: 'boolean' }, meaning: '' } } }
}

test('a key that may be null is not read when it is', () => {
  assert.ok(read(withKey('nullable'), { a: null }).isFine)
  assert.ok(!read(withKey('optional'), { a: null }).isFine)
  assert.ok(!read(withKey('nullable'), { a: 5 }).isFine)
})

test('a time of day is a text with hours and minutes, and an attribute’s value is any scalar', () => {
  for (const value of ['09:00', '23:59:59']) assert.ok(read({ type: 'clock' }, value).isFine)
  for (const value of ['9:00', '24:00', 900, null, ['09:00']])
    assert.match(refusal({ type: 'clock' }, value), /a time of day/)
  const any: DocumentShape = { type: 'value', charsMax: 3 }
  for (const value of ['text', 5, 5n, true]) assert.ok(read(any, value).isFine)
  for (const value of [{}, []]) assert.match(refusal(any, value), /a string, a number, a boolean or null/)
})

test('an object has known keys only, at least as many as it must, and is no list', () => {
  const key = { use: 'optional', shape: { type: 'boolean' }, meaning: '' } as const
  const shape: DocumentShape = { type: 'object', keys: { a: key, b: key }, keysMin: 1 }
  assert.ok(read(shape, { a: true }).isFine)
  assert.match(refusal(shape, {}), /it must have one of a, b/)
  assert.ok(read(shape, {}, 'store').isFine)
  for (const value of [[], 'a', null]) assert.match(refusal(shape, value), /an object with a, b/)
  const { isFine, messages } = read(shape, { c: true, a: 5 })
  assert.ok(!isFine)
  assert.equal(messages.length, 1, 'a stranger is told first, and nothing else')
  assert.match(messages.join(), /unknown key `c`; write a, b/)
  assert.ok(read(shape, { c: true, a: true }, 'store').isFine)
})

test('twenty faults are told, and a list that has them is not walked on', () => {
  let reads = 0
  const counting = new Proxy(Array<number>(1_000).fill(7), {
    get: (target, name, receiver) => {
      reads += 1
      return Reflect.get(target, name, receiver)
    },
  })
  const list = { type: 'list', of: { type: 'boolean' }, noun: 'answers' } as const
  const { messages } = read({ ...list, itemsMin: 0, itemsMax: null }, counting)
  assert.equal(messages.length, 20)
  assert.ok(reads < 100, String(reads))
  const pair: DocumentShape = {
    type: 'object',
    keys: Object.fromEntries(
      ['a', 'b'].map((name) => [
        name,
        { use: 'required', shape: { ...list, itemsMin: 0, itemsMax: null }, meaning: '' },
      ]),
    ),
  }
  assert.equal(read(pair, { a: Array(15).fill(7), b: Array(15).fill(7) }).messages.length, 20)
})
