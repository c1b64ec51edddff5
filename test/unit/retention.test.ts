import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countBegun } from '../../src/domain/events/retention.ts'

const COHORT = '2026-02-23'
const CASES = [
  ['day', '2026-02-23', 1],
  ['day', '2026-03-01', 7],
  ['week', '2026-02-23', 1],
  ['week', '2026-03-01', 1],
  ['week', '2026-03-02', 2],
] as const
for (const [unit, today, begun] of CASES)
  test(`on ${today} ${begun} periods of a ${unit} have begun for the cohort of ${COHORT}`, () => {
    assert.equal(countBegun(unit, { cohort: COHORT, today }), begun)
  })
