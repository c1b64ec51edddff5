import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bar, Curve, Figure } from '../../bench/support/figures.ts'
import { isBarMet, ratioOf, renderReport, withReport } from '../../bench/support/report-page.ts'
import { drawResults } from '../../bench/support/report-picture.ts'
import { commandOf, parseKept, type Results } from '../../bench/support/results.ts'
import { shown } from '../../bench/support/shown.ts'

const FIGURE: Figure = {
  kind: 'figure',
  what: 'ios: a message',
  unit: 'µs',
  ours: [50, 40, 60],
  peer: { name: '`node-apn`', rounds: [200, 100, 300] },
  limit: { name: 'the wire', rounds: [10, 10, 10] },
  bar: { of: 'peer', atMost: 0.25 },
  parts: { worker: 30, PostgreSQL: 20 },
  memoryMiB: 120,
}
const CURVE: Curve = {
  kind: 'curve',
  what: 'CPU of a message',
  unit: 'µs',
  axis: 'devices',
  points: [
    { size: 10_000, rounds: [50, 40, 60] },
    { size: 1_000_000, rounds: [55] },
  ],
}
const RESULTS: Results = {
  job: 'delivery',
  command: 'npm run bench -- report delivery',
  date: '2026-11-17',
  commit: 'abc',
  cores: 2,
  processor: 'Example 2 GHz (x64)',
  loadBefore: 0.1,
  seconds: 200,
  kept: [FIGURE, CURVE],
}

function isHeld(bar: Bar): boolean {
  return isBarMet({ ...FIGURE, bar })
}

function rowsOf(figure: Figure): string {
  return pageOf({ ...RESULTS, kept: [figure] })
}

function pageOf(results: Results): string {
  return renderReport([{ title: 'Messages', results }])
}

test('a ratio is that of the medians, and its spread that of the rounds', () => {
  assert.deepEqual(ratioOf(FIGURE, 'peer'), { middle: 0.25, rounds: [0.25, 0.4, 0.2] })
  assert.deepEqual(ratioOf(FIGURE, 'limit'), { middle: 5, rounds: [5, 4, 6] })
})

test('a benchmark can hold another ratio to its bar than that of the medians', () => {
  const judged = { ...FIGURE, ratio: 0.26 }
  assert.equal(ratioOf(judged, 'peer').middle, 0.26)
  assert.equal(ratioOf(judged, 'limit').middle, 5)
  assert.deepEqual([isBarMet(FIGURE), isBarMet(judged)], [true, false])
})

test('a bar holds the figure itself, from above or from below', () => {
  assert.deepEqual(
    [isHeld({ of: 'figure', atMost: 50 }), isHeld({ of: 'figure', atMost: 49 })],
    [true, false],
  )
  assert.deepEqual(
    [isHeld({ of: 'limit', atLeast: 5 }), isHeld({ of: 'limit', atLeast: 5.1 })],
    [true, false],
  )
})

test('a ratio that misses its bar is bold, and one that meets it is not', () => {
  assert.match(rowsOf(FIGURE), /\| 0\.250 × \[0\.200 to 0\.400\] \| ≤ 0\.25 × \| 120 MiB \|/)
  const missed: Figure = { ...FIGURE, bar: { of: 'peer', atMost: 0.24 } }
  assert.match(rowsOf({ ...missed, ours: [50] }), /\| \*\*0\.250 ×\*\* \|/)
  assert.match(rowsOf(missed), /\| \*\*0\.250 × \[0\.200 to 0\.400\]\*\* \| ≤ 0\.24 × \|/)
  assert.match(
    rowsOf(FIGURE),
    /\n\| {2}\| {2}\| limit: the wire 10\.0 µs .* \| 5\.00 × \[4\.00 to 6\.00\] \|/,
  )
})

test('a limit of 0 stands in its row without a ratio', () => {
  const idle = rowsOf({
    ...FIGURE,
    bar: { of: 'figure', atMost: 60 },
    limit: { name: 'nothing', rounds: [0] },
  })
  assert.match(idle, /\| limit: nothing 0 µs \| {2}\| {2}\| {2}\|/)
})

test('a report says how each part is measured again, and what its figures are made of', () => {
  const report = renderReport([{ title: 'Messages', results: RESULTS }])
  assert.ok(
    report.includes(
      '| `npm run bench -- report delivery` | 3 min | 2026-11-17 | abc | 2 | Example 2 GHz (x64) | 0.1 |',
    ),
  )
  assert.ok(report.includes('- *ios: a message*: worker 30.0 µs, PostgreSQL 20.0 µs.'))
  assert.ok(report.includes('- *CPU of a message*, by devices: 10,000: 50.0 µs, 1,000,000: 55.0 µs.'))
})

test('a report has the most memory of each kind of process', () => {
  const memories = [100, 120, 90].map((mib) => ({ kind: 'memory', of: 'worker', mib }) as const)
  const kept = [FIGURE, ...memories, { kind: 'memory', of: 'API process', mib: 80 } as const]
  assert.ok(pageOf({ ...RESULTS, kept }).includes('- *Memory*: worker 120 MiB, API process 80 MiB.'))
  assert.equal(drawResults(kept), drawResults([FIGURE]))
})

test('a report takes the place of the one before, and leaves the rest of the page as it is', () => {
  const page = '# Page\n\n## One\n\ntext\n\n## Two\n\nmore\n'
  const once = withReport(page, 'first report\n')
  assert.ok(once.startsWith(page))
  const later = `${once}\n## Three\n\nlast\n`
  const twice = withReport(later, 'second report\n')
  assert.equal(twice, later.replace('first report', 'second report'))
})

test('the processor of a result is named, and older results say that they do not know it', () => {
  const { processor, ...older } = RESULTS
  assert.ok(pageOf(RESULTS).includes(`| 2 | ${processor} | 0.1 |`))
  assert.ok(pageOf(older).includes('| 2 | not noted | 0.1 |'))
})

test('a picture has a bar for each side and part of a figure, and a mark for each size of a curve', () => {
  const picture = drawResults([FIGURE, CURVE, { ...FIGURE, what: 'fewer < more' }])
  assert.equal(picture.match(/<rect x=/g)?.length, 10)
  assert.equal(picture.match(/<circle /g)?.length, 2)
  assert.ok(picture.includes('fewer &lt; more'))
  assert.ok(picture.includes('>node-apn<'))
})

test('results of a benchmark that broke off are refused', () => {
  const line = JSON.stringify(FIGURE)
  assert.deepEqual(parseKept(`${line}\n{"kind":"end"}\n`), [FIGURE])
  assert.throws(() => parseKept(`${line}\n`), /broke off/)
  assert.throws(() => parseKept('{"kind":"end"}\n'), /broke off/)
  const memory = JSON.stringify({ kind: 'memory', of: 'worker', mib: 100 })
  assert.throws(() => parseKept(`${memory}\n{"kind":"end"}\n`), /broke off/)
})

test('the command of a result names the settings of its run', () => {
  const environment = { BENCH_ROUNDS: '2', BENCH_FIGURES: '/tmp/x', HOME: '/' }
  assert.equal(commandOf('events', environment), 'BENCH_ROUNDS=2 npm run bench -- report events')
})

test('a number is shown with three digits, or with all before the point', () => {
  assert.deepEqual([0, 0.2512, 5, 51.26, 512.6, 5126].map(shown), [
    '0',
    '0.251',
    '5.00',
    '51.3',
    '513',
    '5126',
  ])
})
