import type { Segment } from '../../client/api/segments.ts'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { dateFormat } from '../kit/formats.ts'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { type Language, useLanguage, useTexts } from '../kit/texts.tsx'
import styles from './segment.module.css'
import { SEGMENT_TEXTS } from './texts.ts'

type Sizes = readonly { readonly day: string; readonly size: number }[]

/** The size of a segment, day by day. */
export function History({ segment }: { readonly segment: Segment }) {
  const texts = useTexts(SEGMENT_TEXTS)
  const path = { segment_id: String(segment.segment_id) }
  const query = { days: DAYS }
  const { data, error, dataUpdatedAt } = useRead('GET /api/v1/segments/{segment_id}/sizes', { path, query })
  const sizes = data?.sizes ?? []
  return (
    <Card title={texts.history} aside={<AsOf at={dataUpdatedAt} />}>
      {error !== null && <FailureNote error={error} />}
      {data === undefined && error === null && <Lines count={2} />}
      {data !== undefined && sizes.length === 0 && <p className="small quiet">{texts.noHistory}</p>}
      {sizes.length > 0 && <Plot sizes={sizes} />}
    </Card>
  )
}

const DAYS = 90
const WIDTH = 320
const HEIGHT = 72

function Plot({ sizes }: { readonly sizes: Sizes }) {
  const texts = useTexts(SEGMENT_TEXTS)
  const { language } = useLanguage()
  const format = useFormat()
  const most = Math.max(1, ...sizes.map(({ size }) => size))
  const step = WIDTH / Math.max(1, sizes.length - 1)
  const points = sizes.map(({ size }, at) => `${at * step},${HEIGHT - (HEIGHT - 4) * (size / most)}`)
  const from = dayOf(sizes[0]?.day, language)
  const to = dayOf(sizes.at(-1)?.day, language)
  // One day is a line too, so that something stands there from the first count on.
  const line = points.length === 1 ? [...points, `${WIDTH},${points[0]?.split(',')[1]}`] : points
  return (
    <figure className={styles.plot}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.historyLabel(from, to)}
      >
        <polygon points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`} />
        <polyline points={line.join(' ')} />
      </svg>
      <figcaption>
        <span>{from}</span>
        <span className="num">{texts.highest(format.count(most))}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  )
}

function dayOf(day: string | undefined, language: Language): string {
  if (day === undefined) return ''
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return dateFormat(language, options).format(new Date(`${day}T00:00:00Z`))
}
