import { Button } from '@mantine/core'
import type { Subscription } from '../../client/api/common.ts'
import type { Segment } from '../../client/api/segments.ts'
import { addressOf, Link, useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useReadPages } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import type { Preview } from './preview.ts'
import styles from './segment.module.css'
import { SEGMENT_TEXTS } from './texts.ts'

type SampleProps = { readonly segment: Segment | null; readonly preview: Preview | undefined }

/** Ten of the devices that match or, of a saved segment, all of them page by page. */
export function Sample({ segment, preview }: SampleProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const [words] = useSearchWords()
  if (segment !== null && words['show'] === 'all') return <Members segment={segment} />
  if (preview === undefined) return null
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

const PAGE_ROWS = 50

function Members({ segment }: { readonly segment: Segment }) {
  const texts = useTexts(SEGMENT_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const path = { segment_id: String(segment.segment_id) }
  const members = useReadPages('GET /api/v1/segments/{segment_id}/members', {
    path,
    query: { limit: PAGE_ROWS },
  })
  const devices = members.data?.pages.flatMap(({ subscriptions }) => subscriptions)
  return (
    <Card title={texts.members}>
      {members.error !== null && <FailureNote error={members.error} onRetry={() => void members.refetch()} />}
      {devices === undefined && members.error === null && <Lines count={5} />}
      {devices !== undefined && <Devices devices={devices} />}
      {members.hasNextPage && (
        <Button mt={12} loading={members.isFetchingNextPage} onClick={() => void members.fetchNextPage()}>
          {kit.more}
        </Button>
      )}
    </Card>
  )
}

function Devices({ devices }: { readonly devices: readonly Subscription[] }) {
  const texts = useTexts(SEGMENT_TEXTS)
  if (devices.length === 0) return <p className="small quiet">{texts.nobody}</p>
  return (
    <ul className={styles.people}>
      {devices.map(
        ({ subscription_id: id, user_id: userId, platform, language, browser, app_version: version }) => (
          <li key={id}>
            {userId === null ? (
              <span className="quiet">{texts.noPerson}</span>
            ) : (
              <Link to={`/people/${encodeURIComponent(userId)}`}>{userId}</Link>
            )}
            <span className="quiet">
              {[PLATFORMS[platform], browser, version, language].filter((word) => word !== null).join(', ')}
            </span>
          </li>
        ),
      )}
    </ul>
  )
}

const PLATFORMS = { android: 'Android', ios: 'iPhone', web: 'Web' } as const
