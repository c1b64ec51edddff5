import { useState } from 'react'
import type UPlot from 'uplot'
import styles from './plot.module.css'
import { plotColor, plotFrame } from './plot-canvas.ts'
import { type Figures, PlotFigures } from './plot-figures.tsx'
import { PlotPlace } from './plot-place.tsx'

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
  readonly figures: Figures
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
      <PlotFigures {...figures} />
    </div>
  )
}

type BarsProps = Pick<PlotProps, 'label' | 'names' | 'counts' | 'isLastOpen' | 'onPick'> & {
  readonly onPoint: (at: number | null) => void
}

function Bars({ names, counts, isLastOpen = false, onPick, ...rest }: BarsProps) {
  return (
    <PlotPlace
      {...rest}
      onPick={onPick}
      content={[names, counts, isLastOpen]}
      plan={({ Library, parent, point }) => {
        const last = isLastOpen ? counts.length - 1 : counts.length
        const paths = Library.paths.bars?.({ size: [0.7, BAR_PX_MAX], radius: 0.12 }) ?? (() => null)
        const bar = (token: string): UPlot.Series => ({
          fill: plotColor(token),
          width: 0,
          paths,
          points: { show: false },
        })
        return {
          options: {
            ...plotFrame(parent, { names, numbers: counts, point }),
            cursor: { y: false, x: false, points: { show: false }, drag: { x: false, y: false } },
            series: [{}, bar('--ink'), bar('--mute')],
          },
          data: [
            counts.map((_, at) => at),
            counts.map((count, at) => (at < last ? count : null)),
            counts.map((count, at) => (at < last ? null : count)),
          ],
        }
      }}
    />
  )
}
