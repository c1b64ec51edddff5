import { rowsAddress } from '../events/range.ts'
import { Link } from '../kit/address.tsx'
import { BarTable } from '../kit/bars.tsx'
import { Card } from '../kit/card.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import type { Overview } from '../kit/overview.ts'
import { useRead } from '../kit/queries.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import styles from './minutes.module.css'
import { HOME_TEXTS } from './texts.ts'

type Minute = { readonly at: string; readonly count: number }

/** The events of the last hour, a bar a minute, each a way to its events. The newest minutes come live. */
export function Minutes({ overview }: { readonly overview: Overview | undefined }) {
  const { minutes: texts } = useTexts(HOME_TEXTS)
  const { language } = useLanguage()
  const format = useFormat()
  const query = { metric: 'events', by: 'minute' } as const
  const { data } = useRead('GET /api/v1/series', { query }, { everyMs: 60_000 })
  const counts = data?.series.lines[0]?.counts ?? []
  const before = (data?.series.starts ?? []).map((at, place) => ({ at, count: counts[place] ?? 0 }))
  const minutes = joined(before, overview?.events?.minutes ?? [])
  const most = Math.max(1, ...minutes.map(({ count }) => count))
  const mayRead = useMay('events:read')
  const bars = minutes.map(({ at, count }) => ({
    label: shortOf(new Date(at), language),
    value: count,
    shown: format.count(count),
    to: mayRead ? rowsOf(at) : undefined,
  }))
  const now = bars.at(-1)
  const nowTo = (now?.value ?? 0) > 0 ? (now?.to ?? '/events') : '/events'
  return (
    <Card title={texts.title} aside={<Link to={nowTo}>{texts.now(now?.shown ?? format.count(0))}</Link>}>
      <ol className={styles.bars} aria-label={texts.title}>
        {bars.map(({ label, value, shown, to }) => {
          const said = <span className="sr-only">{texts.bar(label, shown)}</span>
          const hasWay = to !== undefined && value > 0
          return (
            <li key={label} title={texts.bar(label, shown)} style={{ height: `${(100 * value) / most}%` }}>
              {hasWay ? (
                <Link to={to} tabIndex={-1}>
                  {said}
                </Link>
              ) : (
                said
              )}
            </li>
          )
        })}
      </ol>
      <p className={styles.scale} aria-hidden>
        <span>{texts.hour}</span>
        <span>{texts.right}</span>
      </p>
      <BarTable bars={bars} words={texts.table} />
    </Card>
  )
}

const SHOWN_MINUTES = 60
const MINUTE_MS = 60_000

/** The events of one minute. */
function rowsOf(at: string): string {
  return rowsAddress({ from: at, to: new Date(Date.parse(at) + MINUTE_MS).toISOString() })
}

/** The live minutes replace those that were read before. */
function joined(before: readonly Minute[], live: readonly Minute[]): readonly Minute[] {
  const byTime = new Map([...before, ...live].map(({ at, count }) => [Date.parse(at), count]))
  return [...byTime.entries()]
    .toSorted(([one], [other]) => one - other)
    .slice(-SHOWN_MINUTES)
    .map(([at, count]) => ({ at: new Date(at).toISOString(), count }))
}
