import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Limited, QuestionTooLong, withinLimit } from '../../src/intake/events/within-limit.ts'
import { QueueFull } from '../../src/runtime/limits/limiter.ts'
import { isTimedOut } from '../../src/store/unavailable.ts'

/** Work that ends only when it is given up. */
async function forever({ signal }: Limited): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

/** The same, after a long wait in line. */
async function waiting(limited: Limited): Promise<never> {
  limited.onWait?.(60_000)
  return forever(limited)
}

test('a question is given up at its limit, as a statement that takes too long', async () => {
  const { signal } = new AbortController()
  await assert.rejects(withinLimit({ signal, limitMs: 1 }, forever), (cause) => {
    assert.ok(cause instanceof QuestionTooLong)
    return isTimedOut(cause)
  })
})

test('a question that has mostly waited in line until its limit may come again', async () => {
  const { signal } = new AbortController()
  await assert.rejects(withinLimit({ signal, limitMs: 1 }, waiting), QueueFull)
})

test('a caller who hangs up ends the question with the reason of the hang-up', async () => {
  const caller = new AbortController()
  const asked = withinLimit({ signal: caller.signal }, forever)
  const gone = new Error('gone')
  caller.abort(gone)
  await assert.rejects(asked, gone)
})

test('an answer in time is the answer', async () => {
  const { signal } = new AbortController()
  assert.equal(await withinLimit({ signal }, async () => 7), 7)
})
