import type { CSSProperties } from 'react'
import { addressOf, Link, useSearchWords } from '../kit/address.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './paths.module.css'
import { PATHS_TEXTS } from './paths-texts.ts'
import { type PathCell, pathRows } from './paths-tree.ts'
import type { PathsReply } from './replies.ts'

type TableProps = {
  readonly reply: PathsReply
  readonly start: string
  readonly depth: number
  /** The address of the events that paths begin after. */
  readonly toStart: string
}

/** A column for each step. A cell is as high as the paths that go through it, and its bar is their share of all people. */
export function PathsTable({ reply, start, depth, toStart }: TableProps) {
  const texts = useTexts(PATHS_TEXTS)
  const format = useFormat()
  const { paths = [], rest = null, users: all = 0 } = reply
  // No column for a step that nobody came to.
  const longest = Math.max(1, ...paths.map(({ events }) => events.length))
  const steps = Math.min(depth, longest)
  const rows = pathRows(paths, steps)
  const height = rows.length + (rest === null ? 0 : 1)
  // Columns of one width, so that their bars can be compared.
  const style: CSSProperties & Record<string, string> = { '--columns': String(steps + 1) }
  return (
    // Where there is no room, the table scrolls by itself, so it takes the focus of the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={`${texts.title}: ${start}`}>
      <table className={styles.table} aria-label={texts.title} style={style}>
        <thead>
          <tr>
            <th scope="col">{texts.start}</th>
            {Array.from({ length: steps }, (_, at) => (
              <th key={at} scope="col">
                {texts.step(at + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            <tr key={JSON.stringify(cells)}>
              {at === 0 && (
                <td rowSpan={height}>
                  <CellText name={start} users={all} all={all} to={toStart} />
                </td>
              )}
              {cells.map((cell) => (
                <Cell key={`${cell.events.length} ${cell.name}`} {...{ cell, start, all }} />
              ))}
            </tr>
          ))}
          {rest !== null && (
            <tr>
              <td className={styles.end}>
                <CellText name={texts.others(format.count(rest.paths))} users={rest.users} all={all} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

type CellProps = Pick<TableProps, 'start'> & {
  readonly cell: PathCell
  readonly all: number
}

/** An event leads to the funnel of the events up to it, which lists its people. */
function Cell({ cell, start, all }: CellProps) {
  const texts = useTexts(PATHS_TEXTS)
  const [words] = useSearchWords()
  const { name, events, users, rows } = cell
  if (name === null) {
    return (
      <td className={styles.end}>
        <CellText name={texts.nothing} users={users} all={all} />
      </td>
    )
  }
  const { range, from, to, within = 'day' } = words
  const walked = [start, ...events]
  const funnel = addressOf('/events/funnel', { range, from, to, within, steps: walked.join(',') })
  return (
    <td rowSpan={rows}>
      <CellText
        name={name}
        users={users}
        all={all}
        funnel={funnel}
        title={texts.asFunnel(walked.join(' → '))}
      />
    </td>
  )
}

type CellTextProps = {
  readonly name: string
  readonly users: number
  readonly all: number
  readonly to?: string
  readonly funnel?: string
  readonly title?: string
}

function CellText({ name, users, all, to, funnel, title }: CellTextProps) {
  const format = useFormat()
  const share = all === 0 ? 0 : users / all
  return (
    <>
      <span className={styles.line}>
        <span className={styles.name}>
          {funnel === undefined ? (
            name
          ) : (
            <Link to={funnel} title={title}>
              {name}
            </Link>
          )}
        </span>
        <span className={styles.number}>
          <Count value={users} to={to} /> <span className="quiet">{format.share(share)}</span>
        </span>
      </span>
      <span className={styles.bar} aria-hidden>
        <i style={{ width: `${100 * share}%` }} />
      </span>
    </>
  )
}
