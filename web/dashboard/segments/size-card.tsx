import type { UseQueryResult } from '@tanstack/react-query'
import { PLATFORM_NAMES } from '../../../src/rules/platforms.ts'
import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { BeckonError } from '../../client/failure.ts'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { isWhole } from '../kit/filter/written.ts'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { Count, useFormat } from '../kit/number.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { membersAddress } from './members-address.ts'
import type { Preview } from './preview.ts'
import styles from './segment.module.css'
import { SEGMENT_TEXTS } from './texts.ts'

type SizeCardProps = {
  /** The segment as it is saved; null while it is being changed. */
  readonly segment: Segment | null
  readonly filter: SegmentFilter
  readonly preview: UseQueryResult<Preview>
}

/** How many there are, which follows every change of the conditions. */
export function SizeCard({ segment, filter, preview }: SizeCardProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const { data, error } = preview
  const isOther = error !== null && !(error instanceof BeckonError && error.code === 'filter_invalid')
  return (
    <Card title={texts.size}>
      <div className={styles.sizes} aria-live="polite">
        {!isWhole(filter) && <p className="small quiet">{texts.incomplete}</p>}
        {isWhole(filter) && error === null && data === undefined && <Lines count={2} />}
        {isWhole(filter) && error === null && data !== undefined && (
          <Size segment={segment} filter={filter} data={data} isOld={preview.isPlaceholderData} />
        )}
        {isOther && <FailureNote error={error} onRetry={() => void preview.refetch()} />}
      </div>
    </Card>
  )
}

type SizeProps = Pick<SizeCardProps, 'segment' | 'filter'> & {
  readonly data: Preview
  readonly isOld: boolean
}

function Size({ segment, filter, data, isOld }: SizeProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const format = useFormat()
  const count = segment?.size ?? data.count
  const at = segment === null ? null : segment.sized_at
  const isExact = segment !== null || data.margin === 0
  return (
    <div className={isOld ? styles.old : undefined}>
      <p className={styles.size}>
        <b data-size={count}>
          <Count value={count} to={membersAddress({ segment, filter })} />
        </b>{' '}
        {texts.devices(count)}
      </p>
      <p className="small quiet">
        {isExact ? kit.exact : texts.margin(format.count(data.margin))}
        {', '}
        {at === null ? kit.justNow : <Time at={at} how="ago" />}
      </p>
      <dl className={styles.platforms}>
        {PLATFORM_NAMES.map((platform) => (
          <div key={platform}>
            <dt>{PLATFORM_LABELS[platform]}</dt>
            <dd>
              <Count
                value={data.platforms[platform] ?? 0}
                to={membersAddress({ segment, filter, platform })}
              />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
