import { useComputedColorScheme } from '@mantine/core'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type UPlot from 'uplot'
import { loadPiece } from './piece.tsx'
import styles from './plot.module.css'

const HEIGHT_PX = 180
const BAR_PX_MAX = 26

type PlotProps = {
  /** The meaning of the bars, in a sentence. */
  readonly label: string
  /** The name of each bar, in order, as it stands below it. */
  readonly names: readonly string[]
  readonly counts: readonly number[]
  /** The number of a bar in words, shown while the pointer is on it. */
  readonly say: (at: number) => string
  /** The sentence in the place of a bar's words, while the pointer is elsewhere. */
  readonly rest?: string
  /** The last bar goes on, so it is drawn lighter. */
  readonly isLastOpen?: boolean
  readonly onPick?: (at: number) => void
  /** The same numbers as a table, for readers who do not see the bars or want the rows behind one. */
  readonly figures: { readonly title: string; readonly table: ReactNode }
}

/** Bars over time. Their colours are the tokens of the theme; the numbers stand below, folded. */
export function Plot({ label, say, rest = '', figures, ...drawn }: PlotProps) {
  const [at, setAt] = useState<number | null>(null)
  return (
    <div className={styles.plot}>
      <p className={styles.readout} aria-hidden>
        {at === null ? rest : say(at)}
      </p>
      <Bars label={label} onPoint={setAt} {...drawn} />
      <details className={styles.figures}>
        <summary>{figures.title}</summary>
        <div className={styles.rows}>{figures.table}</div>
      </details>
    </div>
  )
}

type BarsProps = Pick<PlotProps, 'label' | 'names' | 'counts' | 'isLastOpen' | 'onPick'> & {
  readonly onPoint: (at: number | null) => void
}

function Bars({ label, names, counts, isLastOpen = false, onPick, onPoint }: BarsProps) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  const point = useEffectEvent(onPoint)
  const pick = useEffectEvent((at: number) => onPick?.(at))
  const shown = JSON.stringify([names, counts, isLastOpen])
  useEffect(() => {
    const parent = place.current
    if (parent === null) return undefined
    const stop = new AbortController()
    void draw(parent, { names, counts, isLastOpen, point, pick, signal: stop.signal })
    return () => stop.abort()
    // The bars are drawn anew when a number or the theme changes, not at every look of the page.
  }, [shown, scheme])
  return (
    <div
      ref={place}
      className={styles.canvas}
      role="img"
      aria-label={label}
      style={{ minHeight: HEIGHT_PX }}
    />
  )
}

type Drawing = {
  readonly names: readonly string[]
  readonly counts: readonly number[]
  readonly isLastOpen: boolean
  readonly point: (at: number | null) => void
  readonly pick: (at: number) => void
  readonly signal: AbortSignal
}

async function draw(parent: HTMLElement, drawing: Drawing): Promise<void> {
  const { default: Library } = await loadPiece(async () => import('uplot'))
  const { counts, isLastOpen, signal } = drawing
  if (signal.aborted) return
  const last = isLastOpen ? counts.length - 1 : counts.length
  const data: UPlot.AlignedData = [
    counts.map((_, at) => at),
    counts.map((count, at) => (at < last ? count : null)),
    counts.map((count, at) => (at < last ? null : count)),
  ]
  parent.replaceChildren()
  const paths = Library.paths.bars?.({ size: [0.7, BAR_PX_MAX], radius: 0.12 }) ?? (() => null)
  const plot = new Library(optionsOf(parent, drawing, paths), data, parent)
  plot.over.addEventListener('click', () => {
    const { idx } = plot.cursor
    if (typeof idx === 'number') drawing.pick(idx)
  })
  const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT_PX }))
  observer.observe(parent)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    plot.destroy()
  })
}

function optionsOf(
  parent: HTMLElement,
  { names, counts, point }: Drawing,
  paths: UPlot.Series.PathBuilder,
): UPlot.Options {
  const styleOf = getComputedStyle(document.documentElement)
  const color = (token: string): string => styleOf.getPropertyValue(token).trim()
  const axis = { stroke: color('--ink-3'), font: "11.5px 'Inter Variable', system-ui, sans-serif" }
  const bar = (fill: string): UPlot.Series => ({ fill, width: 0, paths, points: { show: false } })
  return {
    width: parent.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, x: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [-0.6, names.length - 0.4] },
      y: { range: () => [0, Math.max(1, ...counts) * 1.08] },
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
        grid: { stroke: color('--line'), width: 1 },
        ticks: { show: false },
        size: 46,
        incrs: WHOLE_STEPS,
      },
    ],
    series: [{}, bar(color('--ink')), bar(color('--mute'))],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  }
}

/** Counts are whole, so their axis is too. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat()
