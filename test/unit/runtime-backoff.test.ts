import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, double, integer, property } from 'fast-check'
import { backoffMs } from '../../src/runtime/loop/backoff.ts'

const BACKOFF = { minMs: 100, maxMs: 30_000 }

test('it doubles from the first wait to the bound', () => {
  const waits = [1, 2, 3, 9, 10, 500].map((attempt) => backoffMs(BACKOFF, attempt, 0.5))
  assert.deepEqual(waits, [100, 200, 400, 25_600, 30_000, 30_000])
})

test('whatever the attempt and the jitter, a wait is within 20 % of its bounds', () => {
  check(
    property(
      integer({ min: 1, max: 10_000 }),
      double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, jitter) => {
        const ms = backoffMs(BACKOFF, attempt, jitter)
        assert.ok(ms >= BACKOFF.minMs * 0.8 && ms <= BACKOFF.maxMs * 1.2)
      },
    ),
  )
})
