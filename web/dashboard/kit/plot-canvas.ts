import type UPlot from 'uplot'
import { loadPiece } from './piece.tsx'

export const PLOT_HEIGHT_PX = 180

/** The callbacks of a plot, by the place on its axis, and the signal that ends it. */
export type PlotEvents = {
  readonly point: (at: number | null) => void
  readonly pick: (at: number) => void
  readonly signal: AbortSignal
}

/** The library of the plots is loaded with the first of them. */
export async function loadPlotLibrary(): Promise<typeof UPlot> {
  const { default: Library } = await loadPiece(async () => import('uplot'))
  return Library
}

/** Picks the places that are clicked, and keeps the plot as wide as its parent until the signal. */
export function attachPlot(plot: UPlot, parent: HTMLElement, { pick, signal }: PlotEvents): void {
  plot.over.addEventListener('click', () => {
    const { idx } = plot.cursor
    if (typeof idx === 'number') pick(idx)
  })
  const observer = new ResizeObserver(() =>
    plot.setSize({ width: parent.clientWidth, height: PLOT_HEIGHT_PX }),
  )
  observer.observe(parent)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    plot.destroy()
  })
}

/** The color of a token in the theme of the moment. */
export function plotColor(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim()
}

/** The options that all plots share: their size, the axis of names, and the axis of the numbers. */
export function plotFrame(
  parent: HTMLElement,
  { names, numbers, point }: Pick<PlotEvents, 'point'> & Drawn,
): Pick<UPlot.Options, 'width' | 'height' | 'legend' | 'scales' | 'axes' | 'hooks'> {
  const axis = { stroke: plotColor('--ink-3'), font: "11.5px 'Inter Variable', system-ui, sans-serif" }
  return {
    width: parent.clientWidth,
    height: PLOT_HEIGHT_PX,
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [-0.6, names.length - 0.4] },
      y: { range: () => rangeOf(numbers) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { show: false },
        size: 28,
        space: 70,
        incrs: [1, 2, 3, 6, 7, 12, 14, 24, 48, 72, 168, 336, 672],
        values: (_, splits) => splits.map((at) => names[at] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: plotColor('--line'), width: 1 },
        ticks: { show: false },
        size: (_, texts) => Math.max(46, 14 + 7 * Math.max(0, ...(texts ?? []).map(({ length }) => length))),
        ...(numbers.every(Number.isInteger) ? { incrs: WHOLE_STEPS } : {}),
      },
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  }
}

type Drawn = {
  /** The names of the places. */
  readonly names: readonly string[]
  /** All numbers that are drawn. */
  readonly numbers: readonly number[]
}

/** From nothing, or the least number below it, to a little above the largest. */
function rangeOf(numbers: readonly number[]): [number, number] {
  const least = Math.min(0, ...numbers)
  const most = Math.max(0, ...numbers)
  return least === most ? [0, 1] : [least * 1.08, most * 1.08]
}

/** Counts are whole, so their axis is too. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat()
