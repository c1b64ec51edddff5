import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRows, renderTable, withTable } from '../cluster/record.ts'

const NOTHING_WRONG = {
  lost: 0,
  storedTwice: 0,
  shownTwice: 0,
  unsent: 0,
  wrongSums: 0,
  rejected: 0,
  wrongAnswers: 0,
  refusedQuestions: 0,
}
const ROUND = {
  fault: 'power',
  at: '2026-11-19T05:00:00.000Z',
  commit: 'abc',
  loadAverage: 4.4,
  acknowledged: 12_345,
  byLibrary: 10,
  answers: 20,
  ...NOTHING_WRONG,
  gapMs: 20_000,
  isGood: true,
}

test('the table adds up the rounds of a fault, with the median and the worst gap', () => {
  const rounds = [ROUND, { ...ROUND, gapMs: 30_040, lost: 2, isGood: false }, { ...ROUND, fault: 'postgres' }]
  assert.deepEqual(renderTable(rounds).split('\n').slice(2), [
    '| postmaster killed | 1 | 12 345 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 20.0 s | 20.0 s | 1 |',
    '| machine dies | 2 | 24 690 | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 25.0 s | 30.0 s | 1 |',
  ])
})

test('the table stands between the marks of the page, and again in the same place', () => {
  const page = `before\n<!-- Written by \`npm run test:cluster -- record\`. -->\nold\n<!-- The end of what \`npm run test:cluster -- record\` writes. -->\nafter\n`
  const once = withTable(page, [ROUND])
  assert.match(
    once,
    /^before\n<!-- Written[^]*1 rounds of 2026-11-19 \(commit abc; load average 4 to 4\)[^]*\nafter\n$/,
  )
  assert.doesNotMatch(once, /old/)
  assert.equal(withTable(once, [ROUND]), once)
  assert.throws(() => withTable('no marks', [ROUND]), /lacks/)
})

test('the table of docs/benchmarks.md is that of bench/results/cluster.ndjson', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8')
  assert.equal(withTable(page, readRows()), page, 'npm run test:cluster -- record writes it')
})
