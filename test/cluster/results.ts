import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAULTS } from './faults.ts'
import { fieldsOf } from './fields.ts'
import { HOME } from './lab/apps.ts'
import { DISKS, FAILED, LOGS, RESULTS } from './lab/folder.ts'
import type { RoundResult } from './round.ts'

/** The rounds of this commit, kept in the lab's folder, so that a run that was broken off goes on where it was. */
export function saveResult(result: RoundResult): void {
  appendFileSync(RESULTS, `${JSON.stringify(result)}\n`)
}

/** Keeps what the machines said in a round that was not good: the next lab begins with empty disks. */
export function keepLogs(round: string): void {
  cpSync(LOGS, join(FAILED, round), { recursive: true })
  for (const name of readdirSync(DISKS).filter((one) => one.endsWith('-log'))) {
    cpSync(join(DISKS, name), join(FAILED, round, name), { recursive: true })
  }
}

export function commitOf(): string {
  return execFileSync('git', ['-C', HOME, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
}

/** Good and bad ones: a round that failed is not run again until it is good. */
export function countRounds(fault: string, commit: string): number {
  return roundsOf(commit).filter((row) => row['fault'] === fault).length
}

/** The rounds that failed, also those of a run that was broken off. */
export function countFailures(faults: readonly string[], commit: string): number {
  return roundsOf(commit).filter((row) => faults.includes(String(row['fault'])) && row['isGood'] !== true)
    .length
}

/** One row a fault, as docs/benchmarks.md has it. */
export function reportOf(commit: string): string {
  const rows = roundsOf(commit)
  const lines = FAULTS.flatMap(({ name, says }) => {
    const own = rows.filter((row) => row['fault'] === name)
    if (own.length === 0) return []
    const sum = (field: string): number => own.reduce((total, row) => total + Number(row[field]), 0)
    const gaps = own.map((row) => Number(row['gapMs']) / 1_000).toSorted((one, other) => one - other)
    const median = gaps[Math.floor(gaps.length / 2)] ?? 0
    const cells = [
      says,
      own.length,
      sum('acknowledged'),
      sum('lost'),
      sum('storedTwice'),
      sum('shownTwice'),
      sum('unsent'),
      sum('wrongSums'),
      `${median.toFixed(1)} s`,
      `${(gaps.at(-1) ?? 0).toFixed(1)} s`,
      own.filter((row) => row['isGood'] === true).length,
    ]
    return [`| ${cells.join(' | ')} |`]
  })
  return [HEAD, HEAD.replaceAll(/[^|]+/g, '---'), ...lines].join('\n')
}

const HEAD =
  '| fault | rounds | acknowledged | lost | stored twice | shown twice | left unsent | wrong sums | gap, median | gap, worst | good |'

function roundsOf(commit: string): readonly Readonly<Record<string, unknown>>[] {
  return loadRows().filter((row) => row['commit'] === commit)
}

function loadRows(): readonly Readonly<Record<string, unknown>>[] {
  if (!existsSync(RESULTS)) return []
  return readFileSync(RESULTS, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => fieldsOf(JSON.parse(line)))
}
