import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Figure } from '../../bench/support/figures.ts'
import { GROW_FIGURES, readGrowNumbers } from '../../bench/support/grow-figures.ts'
import { missingJobs, renderGrowTables, withGrowTables } from '../../bench/support/grow-tables.ts'
import { REPORT_JOBS } from '../../bench/support/report-jobs.ts'
import { type Results, readResults } from '../../bench/support/results.ts'

const CLUSTER = join(import.meta.dirname, '../../docs/cluster.md')

const EVENTS: readonly Figure[] = [
  { kind: 'figure', what: '1000-entry calls', unit: 'entries/s', ours: [30_000, 33_496, 40_000] },
  {
    kind: 'figure',
    what: 'CPU of a 1000-entry call',
    unit: 'ms',
    ours: [55],
    parts: { PostgreSQL: 42.3, 'the API process': 12.7 },
  },
]
const SIZES: readonly Figure[] = [
  { kind: 'figure', what: 'an event on the disk', unit: 'bytes', ours: [638] },
]

function resultsOf(job: string, kept: readonly Figure[]): Results {
  const about = { command: '', date: '2026-11-18', commit: 'abc', cores: 2, loadBefore: 0, seconds: 1 }
  return { job, kept, ...about }
}

function tablesOf(kept: Readonly<Record<string, readonly Figure[]>>): string {
  return renderGrowTables((job) => {
    const figures = kept[job]
    return figures === undefined ? null : resultsOf(job, figures)
  })
}

test('the tables of "Grow" show the medians of the results, and the arithmetic that follows', () => {
  const tables = tablesOf({ events: EVENTS, sizes: SIZES })
  const rows = [
    '| events in calls of 1000 | 33 500 a second; for each event 42.3 µs of CPU in PostgreSQL and 12.7 µs in the API | *Events over HTTP* |',
    '| cores of the primary for events in calls of 1000 | 34 700 × 42.3 µs | 1.47 |',
    '| disk for 14 days of rows, on each database machine | 1 000 000 000 × 14 × 638 bytes | 8.93 TB |',
  ]
  for (const row of rows) assert.ok(tables.includes(`\n${row}\n`), row)
})

test('a row whose figures were not measured is left out, and its job is named', () => {
  const tables = tablesOf({ events: EVENTS, sizes: SIZES })
  assert.ok(!tables.includes('in a call of its own'))
  assert.ok(
    tables.endsWith(
      'Not measured yet: `npm run bench -- report rollups devices delivery handover sizes analytics years`.\n',
    ),
  )
})

test('tables take the place of those before, and leave the rest of the page as it is', () => {
  const page = readFileSync(CLUSTER, 'utf8')
  const once = withGrowTables(page, 'one table\n')
  assert.notEqual(once, page)
  assert.equal(withGrowTables(once, 'another\n'), once.replace('one table', 'another'))
  assert.equal(withGrowTables(once, renderGrowTables(readResults)), page)
})

test('a job with results has all the figures that "Grow" shows of it', () => {
  const without = missingJobs(readGrowNumbers(readResults)).filter((job) => readResults(job) !== null)
  assert.deepEqual(without, [])
})

test('"Grow" shows figures of jobs of the report only', () => {
  const jobs: readonly string[] = REPORT_JOBS.map(({ name }) => name)
  assert.deepEqual(
    Object.values(GROW_FIGURES).filter(({ job }) => !jobs.includes(job)),
    [],
  )
})
