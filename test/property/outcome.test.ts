import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { outcomeOf } from '../../src/domain/push/outcome.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { RETRY_RULES } from '../../src/rules/push.ts'

const reason = fc.constantFrom('Busy', 'Gone', 'timeout')
const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
  fc.record({ kind: fc.constant('accepted' as const) }),
  fc.record({ kind: fc.constantFrom('refused' as const, 'paused' as const, 'unknown' as const), reason }),
  fc.record({
    kind: fc.constant('retry' as const),
    reason,
    waitMs: fc.nat(7_200_000),
    scope: fc.constantFrom('address' as const, 'credential' as const, 'host' as const),
  }),
)
const tries = fc.record({
  attempt: fc.integer({ min: 1, max: RETRY_RULES.attemptsMax + 2 }),
  unknowns: fc.integer({ min: 0, max: RETRY_RULES.unknownRetriesMax + 1 }),
  now: fc.constant(Date.UTC(2026, 10, 15)),
  jitter: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  expiresAt: fc.integer({ min: Date.UTC(2026, 10, 15), max: Date.UTC(2026, 10, 17) }),
})

test('a delivery is never put off past its expiry, before the wish of the provider, or beyond its attempts', () => {
  fc.assert(
    fc.property(verdicts, tries, (verdict, attempted) => {
      const outcome = outcomeOf(verdict, attempted)
      if (outcome?.state !== 'retrying') return
      assert.ok(outcome.retryAt < attempted.expiresAt)
      assert.ok(outcome.retryAt >= attempted.now + (verdict.kind === 'retry' ? verdict.waitMs : 0))
      assert.ok(attempted.attempt < RETRY_RULES.attemptsMax)
    }),
  )
})

test('only an accepted verdict gives the outcome accepted', () => {
  fc.assert(
    fc.property(verdicts, tries, (verdict, attempted) => {
      const outcome = outcomeOf(verdict, attempted)
      assert.equal(outcome?.state === 'accepted', verdict.kind === 'accepted')
    }),
  )
})
