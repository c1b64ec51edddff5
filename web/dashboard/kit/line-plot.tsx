import { useState } from 'react'
import type UPlot from 'uplot'
import styles from './plot.module.css'
import { plotColor, plotFrame } from './plot-canvas.ts'
import { type Figures, PlotFigures } from './plot-figures.tsx'
import { LINE_STYLES, PlotLegend, type PlotLine } from './plot-legend.tsx'
import { PlotPlace } from './plot-place.tsx'

type LinePlotProps = {
  /** The meaning of the lines, in a sentence. */
  readonly label: string
  /** The name of each place, in order, as it stands below it. */
  readonly names: readonly string[]
  /** As many as there are styles, at most. */
  readonly lines: readonly PlotLine[]
  /** The meaning of the list of lines. */
  readonly legend: string
  readonly figureText: (value: number | null | undefined) => string
  /** The name of a place in words, shown while the pointer is on it. */
  readonly say: (at: number) => string
  /** The sentence in its stead, while the pointer is elsewhere. */
  readonly rest: string
  readonly onPick: (at: number) => void
  /** A sentence about the list of lines. */
  readonly note?: string | undefined
  /** The same numbers as a table, for readers who do not see the lines or want the rows behind a number. */
  readonly figures: Figures
}

/** Lines over time, told apart by shade and dashes. Their list has the numbers of the place under the pointer. */
export function LinePlot({ lines, legend, figureText, say, rest, note, figures, ...drawn }: LinePlotProps) {
  const [at, setAt] = useState<number | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  return (
    <div className={styles.plot}>
      <p className={styles.readout} aria-hidden>
        {at === null ? rest : say(at)}
      </p>
      <Canvas {...drawn} lines={lines} chosen={chosen} onPoint={setAt} />
      <PlotLegend {...{ lines, at, figureText, chosen }} label={legend} onChoose={setChosen} />
      {note !== undefined && <p className="quiet small">{note}</p>}
      <PlotFigures {...figures} />
    </div>
  )
}

type CanvasProps = Pick<LinePlotProps, 'label' | 'names' | 'lines' | 'onPick'> & {
  /** The key of the line that stands out. */
  readonly chosen: string | null
  readonly onPoint: (at: number | null) => void
}

function Canvas({ names, lines, chosen, ...rest }: CanvasProps) {
  return (
    <PlotPlace
      {...rest}
      content={[names, lines, chosen]}
      plan={({ parent, point }) => {
        const numbers = lines.flatMap(({ values }) => values.filter((value) => value !== null))
        return {
          options: {
            ...plotFrame(parent, { names, numbers, point }),
            cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
            series: [{}, ...lines.map((line, at) => seriesOf(at, chosen === null || chosen === line.key))],
          },
          data: [names.map((_, at) => at), ...lines.map(({ values }) => [...values])],
        }
      }}
    />
  )
}

/** A line in the style of its place; it is faint while another one stands out. */
function seriesOf(place: number, isClear: boolean): UPlot.Series {
  const { token, dash } = LINE_STYLES[place] ?? LINE_STYLES[0]
  const stroke = plotColor(isClear ? token : '--mute')
  return {
    stroke,
    width: 2,
    dash: [...dash],
    points: { show: true, size: 5, fill: stroke, filter: aloneOf },
  }
}

/** The places of the numbers without a neighbour, which no line would show. */
const aloneOf: UPlot.Series.Points.Filter = (plot, series) => {
  const values = plot.data[series] ?? []
  const isNumber = (at: number): boolean => typeof values[at] === 'number'
  return Array.from(values, (_, at) => at).filter(
    (at) => isNumber(at) && !isNumber(at - 1) && !isNumber(at + 1),
  )
}
