import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kept } from './figures.ts'

/** What one run of a benchmark measured, and its circumstances. */
export type Results = {
  readonly job: string
  /** The command that measures the same again. */
  readonly command: string
  readonly date: string
  readonly commit: string
  readonly cores: number
  /** Its name and kind. Results of different kinds of processor are not comparable; older ones do not have it. */
  readonly processor?: string
  readonly loadBefore: number
  readonly seconds: number
  readonly kept: readonly Kept[]
}

const FOLDER = join(import.meta.dirname, '..', 'results')

/**
 * The results are files of the repository, so that one benchmark can be run alone and the page still has all of them. The
 * first line has the circumstances, each other line a figure or a curve.
 */
export function saveResults({ kept, ...circumstances }: Results): void {
  mkdirSync(FOLDER, { recursive: true })
  const lines = [circumstances, ...kept].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(fileOf(circumstances.job), lines.join(''))
}

/** Null for a benchmark that was not run yet. */
export function readResults(job: string): Results | null {
  if (!existsSync(fileOf(job))) return null
  const [circumstances = '', ...kept] = readFileSync(fileOf(job), 'utf8').trimEnd().split('\n')
  return { ...JSON.parse(circumstances), kept: kept.map((line): Kept => JSON.parse(line)) }
}

/** The lines that a benchmark kept. Throws if it did not come to its end. */
export function parseKept(text: string): readonly Kept[] {
  const lines: readonly (Kept | { readonly kind: 'end' })[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const kept = lines.filter((line) => line.kind !== 'end')
  const isMeasured = kept.some(({ kind }) => kind !== 'memory')
  if (lines.at(-1)?.kind !== 'end' || !isMeasured) throw new Error('the benchmark broke off')
  return kept
}

/** The command with the settings that differ from the usual ones. */
export function commandOf(job: string, environment: Readonly<Record<string, string | undefined>>): string {
  const settings = Object.entries(environment)
    .filter(([name]) => name.startsWith('BENCH_') && name !== 'BENCH_FIGURES')
    .map(([name, value]) => `${name}=${value} `)
    .toSorted()
  return `${settings.join('')}npm run bench -- report ${job}`
}

function fileOf(job: string): string {
  return join(FOLDER, `${job}.ndjson`)
}
