import { Link } from '../kit/address.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './retention.module.css'
import { EVENTS_TEXTS } from './texts.ts'

/** People who started together, and how many of them came back in each period. */
export type ShareLine = {
  readonly key: string
  readonly name: string
  readonly users: number
  /** Null: the period has not begun. */
  readonly periods: readonly ({ readonly count: number; readonly users: number } | null)[]
  /** The address of the people of a period; without it there is no list of them. */
  readonly toPeople?: (period: number) => string
}

type ShareTableProps = {
  readonly label: string
  /** The name of the first column. */
  readonly first: string
  readonly lines: readonly ShareLine[]
}

/** A line for people who started together, with a share for each period: the larger, the darker. */
export function ShareTable({ label, first, lines }: ShareTableProps) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  return (
    // Where there is no room, the table scrolls by itself, so it takes the focus of the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={`${label}: ${first}`}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            <th scope="col" className={styles.n}>
              {texts.people}
            </th>
            {(lines[0]?.periods ?? []).map((_, period) => (
              <th key={period} scope="col" className={styles.n}>
                {period}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Line({ line }: { readonly line: ShareLine }) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { name, users, periods, toPeople } = line
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className={styles.n}>
        <Count value={users} to={toPeople?.(0)} />
      </td>
      {periods.map((cell, period) => (
        <td
          key={period}
          className={styles.cell}
          style={cell === null ? {} : shadeOf(shareOf(cell))}
          title={cell === null ? undefined : texts.cell(format.count(cell.count), format.count(cell.users))}
        >
          {cell === null ? '' : <Share share={shareOf(cell)} to={toPeople?.(period)} />}
        </td>
      ))}
    </tr>
  )
}

function shareOf({ count, users }: { readonly count: number; readonly users: number }): number {
  return users === 0 ? 0 : count / users
}

type ShareProps = { readonly share: number; readonly to: string | undefined }

function Share({ share, to }: ShareProps) {
  const format = useFormat()
  const text = format.share(share)
  return share === 0 || to === undefined ? text : <Link to={to}>{text}</Link>
}

/** The larger the share, the more ink. The middle is left out: neither ink nor paper can be read on it. */
function shadeOf(share: number): { readonly background: string; readonly color: string } {
  const isDark = share > 0.5
  const ink = isDark ? 30 + 70 * share : 60 * share
  return {
    background: `color-mix(in srgb, var(--ink) ${ink.toFixed(0)}%, var(--card))`,
    color: isDark ? 'var(--card)' : 'var(--ink)',
  }
}
