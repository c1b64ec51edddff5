import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HOME } from './lab/apps.ts'
import { DISKS, FAILED, LOGS, RESULTS } from './lab/folder.ts'
import { type Row, readRows, renderTable } from './record.ts'
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

/** The rounds of a commit, one row a fault, as docs/benchmarks.md has them. */
export function reportOf(commit: string): string {
  return renderTable(roundsOf(commit))
}

export function roundsOf(commit: string): readonly Row[] {
  return readRows(RESULTS).filter((row) => row['commit'] === commit)
}
