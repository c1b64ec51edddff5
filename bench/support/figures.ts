import { appendFileSync } from 'node:fs'

/** A figure of a benchmark, measured in several rounds beside what it is compared with. */
export type Figure = {
  readonly what: string
  readonly unit: string
  /** One number for each round. */
  readonly ours: readonly number[]
  /** The same work by somebody else, in the same run. */
  readonly peer: { readonly name: string; readonly rounds: readonly number[] }
  /** How much of the peer's figure ours may be. */
  readonly ratioMax: number
  /** The parts that our figure is the sum of, as medians. */
  readonly parts: Readonly<Record<string, number>>
  /** The most memory that our process had. */
  readonly memoryMiB: number
}

/** Keeps a figure for `npm run bench -- report`; any other run only prints what it measures. */
export function saveFigure(figure: Figure): void {
  const file = process.env['BENCH_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}
