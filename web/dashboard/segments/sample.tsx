import { PLATFORM_NAMES } from '../../../src/rules/platforms.ts'
import type { Subscription } from '../../client/api/common.ts'
import type { Segment } from '../../client/api/segments.ts'
import { addressOf, Link, useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { useRows } from '../kit/rows.ts'
import { useTexts } from '../kit/texts.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import type { Preview } from './preview.ts'
import styles from './segment.module.css'
import { SEGMENT_TEXTS } from './texts.ts'

type SampleProps = {
  readonly segment: Segment | null
  readonly preview: Preview | undefined
  /** Whether the preview is on its way. */
  readonly isComing: boolean
}

/** Ten of the devices that match or, of a saved segment, all of them page by page. */
export function Sample({ segment, preview, isComing }: SampleProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const [words] = useSearchWords()
  if (segment !== null && words['show'] === 'all')
    return <Members segment={segment} platform={words['platform']} />
  if (preview === undefined)
    return isComing ? <Coming rows={Math.min(SAMPLE_ROWS, segment?.size ?? SAMPLE_ROWS)} /> : null
  const { sample, count } = preview
  const hasMore = segment !== null && count > sample.length
  return (
    <Card
      title={texts.sample}
      aside={
        hasMore && (
          <Link to={addressOf(`/segments/${segment.segment_id}`, { show: 'all' })}>{texts.showAll}</Link>
        )
      }
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

const PAGE_ROWS = 100

type MembersProps = { readonly segment: Segment; readonly platform: string | undefined }

function Members({ segment, platform: named }: MembersProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const path = { segment_id: String(segment.segment_id) }
  const platform = PLATFORM_NAMES.find((name) => name === named)
  const query = { limit: PAGE_ROWS, ...(platform === undefined ? {} : { platform }) }
  const members = useRows(
    'GET /api/v1/segments/{segment_id}/members',
    { path, query },
    { rowsOf: ({ subscriptions }) => subscriptions },
  )
  return (
    <Card
      title={texts.members}
      aside={
        platform !== undefined && (
          <Link to={addressOf(`/segments/${segment.segment_id}`, { show: 'all' })}>
            {texts.onlyOf(PLATFORM_LABELS[platform])}
          </Link>
        )
      }
      inset="flush"
    >
      {members.error !== null && <FailureNote error={members.error} onRetry={members.retry} />}
      <VirtualTable
        label={texts.members}
        columns={[
          { name: texts.person, cell: (device: Subscription) => <Person device={device} /> },
          { name: texts.device, cell: (device: Subscription) => wordsOf(device) },
        ]}
        list={members}
        empty={<p className="small quiet">{texts.nobody}</p>}
      />
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
          <span className="quiet">{wordsOf(device)}</span>
        </li>
      ))}
    </ul>
  )
}

function Person({ device: { user_id: userId } }: { readonly device: Subscription }) {
  const texts = useTexts(SEGMENT_TEXTS)
  if (userId === null) return <span className="quiet">{texts.noPerson}</span>
  return <Link to={`/people/${encodeURIComponent(userId)}`}>{userId}</Link>
}

function wordsOf({ platform, browser, app_version: version, language }: Subscription): string {
  return [PLATFORM_LABELS[platform], browser, version, language].filter((word) => word !== null).join(', ')
}
