import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparableTag, prefixesOf } from '../../src/domain/values/language-tag.ts'

test('a region names the script of Chinese, and of no other language', () => {
  assert.equal(comparableTag('zh_TW'), 'zh-hant-tw')
  assert.equal(comparableTag('zh-DE'), 'zh-de')
  assert.equal(comparableTag('en-TW'), 'en-tw')
  assert.equal(comparableTag('iw_IL'), 'he-il')
})

test('no prefix of a tag ends in a single letter, but for a tag that is one', () => {
  assert.deepEqual(prefixesOf('en-x-twain'), ['en-x-twain', 'en'])
  assert.deepEqual(prefixesOf('zh-hant-tw'), ['zh-hant-tw', 'zh-hant', 'zh'])
  assert.deepEqual(prefixesOf('x'), ['x'])
})
