import styles from './bars.module.css'

export type Bar = {
  /** The span in words, for the table and on hover. */
  readonly label: string
  readonly value: number
  /** The figure in words. */
  readonly shown: string
}

type BarsProps = {
  /** The name of the picture. */
  readonly label: string
  readonly bars: readonly Bar[]
  /** Words below: at the beginning, on the way, at the end. */
  readonly ticks: readonly string[]
  readonly table: { readonly open: string; readonly time: string; readonly count: string }
}

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
      <div className={styles.ticks} aria-hidden>
        {ticks.map((tick, index) => (
          <span key={`${index} ${tick}`}>{tick}</span>
        ))}
      </div>
      <details className={styles.table}>
        <summary>{table.open}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{table.time}</th>
              <th scope="col">{table.count}</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ value }) => value > 0)
              .map(({ label: span, shown }) => (
                <tr key={span}>
                  <td>{span}</td>
                  <td>{shown}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
