import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countChars, cutAtWord, flawOf, isLonger } from '../../src/domain/values/text.ts'

test('a character is a code point: an emoji is one, a combining mark is one more', () => {
  assert.equal(countChars('😀'), 1)
  assert.equal(countChars('e\u0301'), 2)
  assert.equal(countChars('👩‍👩‍👧'), 5)
})

test('a text is longer only past the last allowed code point', () => {
  assert.equal(isLonger('😀'.repeat(70), 70), false)
  assert.equal(isLonger('😀'.repeat(71), 70), true)
  assert.equal(isLonger('a'.repeat(10_000), null), false)
})

test('NUL and halves of surrogate pairs are found, whole pairs are not', () => {
  assert.notEqual(flawOf('a\u0000b'), null)
  assert.notEqual(flawOf('\ud83d'), null)
  assert.notEqual(flawOf('\ude00\ud83d'), null)
  assert.equal(flawOf('😀\n\t'), null)
})

test('a text that fits is not cut', () => {
  assert.equal(cutAtWord('twelve chars', 12), 'twelve chars')
})

test('a cut falls at the end of a word', () => {
  assert.equal(cutAtWord('the quick brown fox', 12), 'the quick…')
  assert.equal(cutAtWord('the quick brown fox', 10), 'the quick…')
})

test('one long word is cut inside, between whole characters', () => {
  assert.equal(cutAtWord('abcdefghij', 5), 'abcd…')
  assert.equal(cutAtWord('abc👩‍👩‍👧def', 6), 'abc…')
})

test('there is room for nothing but the ellipsis, or for nothing at all', () => {
  assert.equal(cutAtWord('abc', 1), '…')
  assert.equal(cutAtWord('abc', 0), '')
})
