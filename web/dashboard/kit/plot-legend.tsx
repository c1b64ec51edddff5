import styles from './plot.module.css'

/** A line of a plot. */
export type PlotLine = {
  readonly key: string
  readonly name: string
  /** Null where there is no number. */
  readonly values: readonly (number | null)[]
  /** The number of the whole time. */
  readonly whole: number | null
}

/** The looks of lines in their order. Shade and dashes tell them apart, because colours mean outcomes and not everybody sees them. */
export const LINE_STYLES = [
  { token: '--ink', dash: [] },
  { token: '--ink', dash: [8, 4] },
  { token: '--ink', dash: [2, 3] },
  { token: '--ink-3', dash: [] },
  { token: '--ink-3', dash: [8, 4] },
  { token: '--ink-3', dash: [2, 3] },
] as const

type LegendProps = {
  readonly label: string
  readonly lines: readonly PlotLine[]
  /** The place under the pointer; null: the numbers are those of the whole time. */
  readonly at: number | null
  readonly figureText: (value: number | null | undefined) => string
  readonly chosen: string | null
  readonly onChoose: (key: string | null) => void
}

/** The names of the lines with a number of each. A click lets a line stand out, another one ends that. */
export function PlotLegend({ label, lines, at, figureText, chosen, onChoose }: LegendProps) {
  return (
    <ul className={styles.legend} aria-label={label}>
      {lines.map(({ key, name, values, whole }, place) => (
        <li key={key}>
          <button
            type="button"
            title={name}
            aria-pressed={chosen === key}
            onClick={() => onChoose(chosen === key ? null : key)}
          >
            <Sample place={place} />
            <span className={styles.name}>{name}</span>
            <span className={styles.figure}>{figureText(at === null ? whole : values[at])}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function Sample({ place }: { readonly place: number }) {
  const { token, dash } = LINE_STYLES[place] ?? LINE_STYLES[0]
  return (
    <svg width={26} height={8} aria-hidden>
      <line
        x1={0}
        x2={26}
        y1={4}
        y2={4}
        stroke={`var(${token})`}
        strokeWidth={2}
        strokeDasharray={dash.join(' ')}
      />
    </svg>
  )
}
