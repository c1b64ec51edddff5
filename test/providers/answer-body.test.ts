import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerBody } from '../../src/providers/answer-body.ts'

test('an answer is read up to its bound, and the byte that reaches it is the last', () => {
  const body = new AnswerBody(4)
  assert.equal(body.take(Buffer.from('abc')), true)
  assert.equal(body.take(Buffer.from('def')), false)
  assert.equal(body.text(), 'abcd')
  assert.equal(body.take(Buffer.from('g')), false)
  assert.equal(body.text(), 'abcd')
  const full = new AnswerBody(4)
  assert.equal(full.take(Buffer.from('abcd')), false)
})
