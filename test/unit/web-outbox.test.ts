import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VISITOR_LIMITS } from '../../src/rules/people.ts'
import { backoffMs } from '../../web/shared/backoff.ts'
import { cutBatch, LOGINS_MAX } from '../../web/shared/batch.ts'

test('a wait doubles up to five minutes, is spread over half its length, and heeds the server', () => {
  assert.deepEqual(
    [1, 2, 3, 9, 10, 50].map((failures) => backoffMs(failures, 1)),
    [1_000, 2_000, 4_000, 256_000, 300_000, 300_000],
  )
  assert.equal(backoffMs(1, 0), 500)
  assert.equal(backoffMs(1, 0.5, 60_000), 60_000)
})

test('a batch holds as much as fits, and at least one', () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ id }))
  const size = JSON.stringify(rows[0]).length
  assert.deepEqual(cutBatch(rows, 3 * size), rows)
  assert.deepEqual(cutBatch(rows, 3 * size - 1), rows.slice(0, 2))
  assert.deepEqual(cutBatch(rows, 1), rows.slice(0, 1))
  assert.deepEqual(cutBatch([], 1), [])
})

test('no batch holds more logins than the server takes in one call, so none is refused for it', () => {
  assert.equal(LOGINS_MAX, VISITOR_LIMITS.loginsMax)
  const rows = Array.from({ length: 40 }, (_, index) => ({
    id: String(index),
    command: index % 2 === 0 ? { do: 'user', userID: `u${index}` } : { do: 'event', event: 'seen' },
  }))
  const batches: number[] = []
  for (
    let rest: readonly (typeof rows)[number][] = rows;
    rest.length > 0;
    rest = rest.slice(batches.at(-1))
  ) {
    batches.push(cutBatch(rest, 100_000).length)
  }
  assert.deepEqual(batches, [10, 10, 10, 10])
})
