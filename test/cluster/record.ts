import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAULTS } from './faults.ts'
import { fieldsOf } from './fields.ts'
import { HOME } from './lab/apps.ts'

/** The counts of a round, as one line of a file. */
export type Row = Readonly<Record<string, unknown>>

/** The rounds that docs/benchmarks.md counts, so that its figures can be checked. */
const RECORD = join(HOME, 'bench/results/cluster.ndjson')
const PAGE = join(HOME, 'docs/benchmarks.md')
const BEGIN = '<!-- Written by `npm run test:cluster -- record`. -->\n'
const END = '<!-- The end of what `npm run test:cluster -- record` writes. -->\n'

/** Adds rounds to those of the file, once, and writes the table of the page. */
export function recordRounds(rows: readonly Row[]): string {
  const before = readRows(RECORD)
  const present = new Set(before.map(({ at }) => at))
  const all = [...before, ...rows.filter(({ at }) => !present.has(at))]
  writeFileSync(RECORD, all.map((row) => `${JSON.stringify(row)}\n`).join(''))
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), all))
  return `${all.length - before.length} rounds more in bench/results/cluster.ndjson; the table of docs/benchmarks.md is made of ${all.length}`
}

/** The page with the table between the marks. */
export function withTable(page: string, rows: readonly Row[]): string {
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after] = rest.split(END)
  if (after === undefined) throw new Error(`docs/benchmarks.md lacks ${BEGIN.trim()} or ${END.trim()}`)
  return `${before}${BEGIN}\n${renderSummary(rows)}\n\n${renderTable(rows)}\n\n${END}${after}`
}

export function readRows(file = RECORD): readonly Row[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => fieldsOf(JSON.parse(line)))
}

const COLUMNS = {
  acknowledged: 'acknowledged',
  lost: 'lost',
  storedTwice: 'stored twice',
  shownTwice: 'shown twice',
  unsent: 'left unsent',
  wrongSums: 'wrong sums',
  rejected: 'given up by the client',
  wrongAnswers: 'wrong answers',
  refusedQuestions: 'refused questions',
} as const

/** One row a fault. */
export function renderTable(rows: readonly Row[]): string {
  const head = ['fault', 'rounds', ...Object.values(COLUMNS), 'gap, median', 'gap, worst', 'good']
  const lines = FAULTS.flatMap(({ name, says }) => {
    const own = rows.filter(({ fault }) => fault === name)
    if (own.length === 0) return []
    const gaps = own.map(({ gapMs }) => Number(gapMs)).toSorted((one, other) => one - other)
    const sums = Object.keys(COLUMNS).map((field) => count(sumOf(own, field)))
    const good = own.filter(({ isGood }) => isGood === true).length
    return [[says, own.length, ...sums, seconds(medianOf(gaps)), seconds(gaps.at(-1) ?? 0), good]]
  })
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The sentence about the rounds: their commits, their days and their load. */
function renderSummary(rows: readonly Row[]): string {
  const loads = rows.map(({ loadAverage }) => Math.round(Number(loadAverage)))
  const days = [...new Set(rows.map(({ at }) => String(at).slice(0, 10)))]
  const commits = [...new Set(rows.map(({ commit }) => String(commit)))]
  const sum = (field: string): string => count(sumOf(rows, field))
  return [
    `${rows.length} rounds of ${days.join(' and ')} (commit ${commits.join(', ')}; load average ${Math.min(...loads)} to ${Math.max(...loads)}):`,
    `${sum('acknowledged')} acknowledged, ${sum('byLibrary')} of them by the client library; ${sum('answers')} answers to questions that a standby may answer.`,
  ].join('\n')
}

function sumOf(rows: readonly Row[], field: string): number {
  return rows.reduce((total, row) => total + Number(row[field] ?? 0), 0)
}

/** Of an even number of them the mean of the two in the middle. */
function medianOf(sorted: readonly number[]): number {
  const half = (sorted.length - 1) / 2
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

/** 12345 as 12 345. */
function count(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}
