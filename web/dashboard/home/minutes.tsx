import { Link } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { useFormat } from '../kit/number.tsx'
import type { Overview } from '../kit/overview.ts'
import { useRead } from '../kit/queries.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import styles from './minutes.module.css'
import { HOME_TEXTS } from './texts.ts'

type Minute = { readonly at: string; readonly count: number }

/** The events of the last hour, a bar a minute. The newest minutes come live. */
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
  const now = minutes.at(-1)?.count ?? 0
  return (
    <Card title={texts.title} aside={<Link to="/events">{texts.now(format.count(now))}</Link>}>
      <ol className={styles.bars} aria-label={texts.title}>
        {minutes.map(({ at, count }) => {
          const label = texts.bar(shortOf(new Date(at), language), format.count(count))
          return (
            <li key={at} title={label} style={{ height: `${(100 * count) / most}%` }}>
              <span className="sr-only">{label}</span>
            </li>
          )
        })}
      </ol>
      <p className={styles.scale} aria-hidden>
        <span>{texts.hour}</span>
        <span>{texts.right}</span>
      </p>
    </Card>
  )
}

const SHOWN_MINUTES = 60

/** The live minutes replace those that were read before. */
function joined(before: readonly Minute[], live: readonly Minute[]): readonly Minute[] {
  const byTime = new Map([...before, ...live].map(({ at, count }) => [Date.parse(at), count]))
  return [...byTime.entries()]
    .toSorted(([one], [other]) => one - other)
    .slice(-SHOWN_MINUTES)
    .map(([at, count]) => ({ at: new Date(at).toISOString(), count }))
}
