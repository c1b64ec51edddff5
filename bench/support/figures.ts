import { appendFileSync } from 'node:fs'

/** A figure of a benchmark, measured in several rounds beside what it is compared with. */
export type Figure = {
  readonly kind: 'figure'
  readonly what: string
  readonly unit: string
  /** One number for each round. */
  readonly ours: readonly number[]
  /** The same work by somebody else, in the same run. */
  readonly peer?: Beside
  /** The least that a part of the work costs without Beckon, or the same work without the part that is judged, in the same run. */
  readonly limit?: Beside
  readonly bar?: Bar
  /** The ratio that was held to the bar, if it is not that of the medians. */
  readonly ratio?: number
  /** The numbers that our figure is the sum, or the largest, of, as medians. */
  readonly parts?: Readonly<Record<string, number>>
  /** The most memory that our process had. */
  readonly memoryMiB?: number
}

export type Beside = { readonly name: string; readonly rounds: readonly number[] }

/** What is held to a value: the figure itself, or its ratio to the peer or to the limit. */
export type Bar = { readonly of: 'figure' | 'peer' | 'limit' } & (
  | { readonly atMost: number }
  | { readonly atLeast: number }
)

/** A figure that was measured at several sizes. */
export type Curve = {
  readonly kind: 'curve'
  readonly what: string
  readonly unit: string
  /** The name of what grows. */
  readonly axis: string
  readonly points: readonly { readonly size: number; readonly rounds: readonly number[] }[]
}

/** The most memory that a process had in the run. */
export type Memory = { readonly kind: 'memory'; readonly of: string; readonly mib: number }

export type Kept = Figure | Curve | Memory

/** Keeps a figure for `npm run bench -- report`; any other run only prints what it measures. */
export function saveFigure(figure: Omit<Figure, 'kind'>): void {
  keep({ kind: 'figure', ...figure })
}

export function saveCurve(curve: Omit<Curve, 'kind'>): void {
  keep({ kind: 'curve', ...curve })
}

export function saveMemory(of: string, mib: number): void {
  keep({ kind: 'memory', of, mib })
}

/** Tells the report that the benchmark came to its end. One that broke off leaves no results. */
export function saveEnd(): void {
  keep({ kind: 'end' })
}

function keep(line: Kept | { readonly kind: 'end' }): void {
  const file = process.env['BENCH_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
}
