import type { Subscription } from '../../client/api/common.ts'
import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { Link, useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { useTexts } from '../kit/texts.tsx'
import { deviceText, Members, Person } from './members.tsx'
import { membersAddress } from './members-address.ts'
import type { Preview } from './preview.ts'
import styles from './segment.module.css'
import { SEGMENT_TEXTS } from './texts.ts'

type SampleProps = {
  /** The segment as it is saved; null while it is being changed. */
  readonly segment: Segment | null
  readonly filter: SegmentFilter
  readonly preview: Preview | undefined
  /** Whether the preview is on its way. */
  readonly isComing: boolean
}

/** Ten of the devices that match, or all of them page by page. */
export function Sample({ segment, filter, preview, isComing }: SampleProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const [words] = useSearchWords()
  const isWanted = preview !== undefined || isComing || segment !== null
  if (words['show'] === 'all' && isWanted) return <Members segment={segment} filter={filter} />
  if (preview === undefined)
    return isComing ? <Coming rows={Math.min(SAMPLE_ROWS, segment?.size ?? SAMPLE_ROWS)} /> : null
  const { sample, count } = preview
  const hasMore = count > sample.length
  return (
    <Card
      title={texts.sample}
      aside={hasMore && <Link to={membersAddress({ segment, filter })}>{texts.showAll}</Link>}
    >
      <Devices devices={sample} />
    </Card>
  )
}

const SAMPLE_ROWS = 10

/** Empty rows in the place of those that are on their way. */
function Coming({ rows }: { readonly rows: number }) {
  const texts = useTexts(SEGMENT_TEXTS)
  return (
    <Card title={texts.sample}>
      <ul className={styles.people} aria-hidden>
        {Array.from({ length: Math.max(1, rows) }, (_, index) => (
          <li key={index} />
        ))}
      </ul>
    </Card>
  )
}

function Devices({ devices }: { readonly devices: readonly Subscription[] }) {
  const texts = useTexts(SEGMENT_TEXTS)
  if (devices.length === 0) return <p className="small quiet">{texts.nobody}</p>
  return (
    <ul className={styles.people}>
      {devices.map((device) => (
        <li key={device.subscription_id}>
          <Person device={device} />
          <span className="quiet">{deviceText(device)}</span>
        </li>
      ))}
    </ul>
  )
}
