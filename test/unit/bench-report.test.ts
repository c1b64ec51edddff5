import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Figure } from '../../bench/support/figures.ts'
import { ratioOf, renderReport, withReport } from '../../bench/support/report-page.ts'
import { drawFigures } from '../../bench/support/report-picture.ts'

const FIGURE: Figure = {
  what: 'ios: a message',
  unit: 'µs',
  ours: [50, 40, 60],
  peer: { name: 'node-apn', rounds: [200, 100, 300] },
  ratioMax: 0.25,
  parts: { worker: 30, PostgreSQL: 20 },
  memoryMiB: 120,
}
const FACTS = { date: '2026-11-17', commit: 'abc', cores: 2, loadBefore: 0.1 }

test('a ratio is that of the medians, and its spread that of the rounds', () => {
  assert.deepEqual(ratioOf(FIGURE), { middle: 0.25, rounds: [0.25, 0.4, 0.2] })
})

test('a ratio that misses its bar is bold, and one that meets it is not', () => {
  assert.match(renderReport([FIGURE], FACTS, 'a.svg'), /\| 0\.25 × \[0\.20 to 0\.40\] \| ≤ 0\.25 × \|/)
  const missed = { ...FIGURE, ratioMax: 0.24 }
  assert.match(
    renderReport([missed], FACTS, 'a.svg'),
    /\| \*\*0\.25 × \[0\.20 to 0\.40\]\*\* \| ≤ 0\.24 × \|/,
  )
})

test('a report takes the place of the one before, and leaves the rest of the page as it is', () => {
  const page = '# Page\n\n## One\n\ntext\n\n## Two\n\nmore\n'
  const once = withReport(page, 'first report\n')
  assert.ok(once.startsWith(page))
  const later = `${once}\n## Three\n\nlast\n`
  const twice = withReport(later, 'second report\n')
  assert.equal(twice, later.replace('first report', 'second report'))
})

test('a picture has a bar for each side of each figure', () => {
  const picture = drawFigures([FIGURE, { ...FIGURE, what: 'android: a message' }])
  assert.equal(picture.match(/<rect /g)?.length, 4)
  assert.ok(picture.includes('ios: a message'))
})
