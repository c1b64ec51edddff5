import { Link } from './address.tsx'
import styles from './bars.module.css'
import { Count } from './number.tsx'

export type Bar = {
  /** The span in words, for the table and on hover. */
  readonly label: string
  readonly value: number
  /** The figure in words. */
  readonly shown: string
  /** The rows that the figure counts. */
  readonly to?: string | undefined
}

type BarsProps = {
  /** The name of the picture. */
  readonly label: string
  readonly bars: readonly Bar[]
  /** Words below: at the beginning, on the way, at the end. */
  readonly ticks: readonly string[]
  readonly table: TableWords
}

/** The words that open the table, and the heads of its columns. */
type TableWords = { readonly open: string; readonly time: string; readonly count: string }

const WIDTH = 560
const HEIGHT = 120
const GAP_SHARE = 0.35

/** Counts over time as bars, drawn by hand: no axis but the words below. The same figures are in a table behind. */
export function Bars({ label, bars, ticks, table }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const step = WIDTH / Math.max(1, bars.length)
  const width = Math.min(24, step * (1 - GAP_SHARE))
  return (
    <figure className={styles.figure}>
      <div className={styles.picture}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {bars.map(({ label: span, value, shown }, index) => {
            const height = value === 0 ? 0 : Math.max(2, ((HEIGHT - 12) * value) / most)
            return (
              <rect key={span} x={index * step} y={HEIGHT - 2 - height} width={width} height={height} rx={2}>
                <title>{`${span}: ${shown}`}</title>
              </rect>
            )
          })}
          <line x1={0} x2={WIDTH} y1={HEIGHT - 1.5} y2={HEIGHT - 1.5} />
        </svg>
        <div className={styles.ways} aria-hidden>
          {bars.map(({ label: span, value, shown, to }, index) =>
            to === undefined || value === 0 ? null : (
              <Link
                key={span}
                to={to}
                tabIndex={-1}
                title={`${span}: ${shown}`}
                style={{ left: `${(100 * index) / bars.length}%`, width: `${100 / bars.length}%` }}
              >
                <span className="sr-only">{shown}</span>
              </Link>
            ),
          )}
        </div>
      </div>
      <div className={styles.ticks} aria-hidden>
        {ticks.map((tick, index) => (
          <span key={`${index} ${tick}`}>{tick}</span>
        ))}
      </div>
      <BarTable bars={bars} words={table} />
    </figure>
  )
}

/** The figures of bars in a table, where the keyboard finds the ways to the rows. */
export function BarTable({ bars, words }: { readonly bars: readonly Bar[]; readonly words: TableWords }) {
  return (
    <details className={styles.table}>
      <summary>{words.open}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.time}</th>
            <th scope="col">{words.count}</th>
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ value }) => value > 0)
            .map(({ label, value, to }) => (
              <tr key={label}>
                <td>{label}</td>
                <td>
                  <Count value={value} to={to} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}
