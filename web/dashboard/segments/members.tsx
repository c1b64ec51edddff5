import { useDebouncedValue } from '@mantine/hooks'
import { PLATFORM_NAMES, type Platform } from '../../../src/rules/platforms.ts'
import type { Subscription } from '../../client/api/common.ts'
import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { Link, useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { isWhole } from '../kit/filter/written.ts'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { type RowList, useRows } from '../kit/rows.ts'
import { useTexts } from '../kit/texts.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { membersAddress } from './members-address.ts'
import { SETTLES_MS } from './preview.ts'
import { SEGMENT_TEXTS } from './texts.ts'

const PAGE_ROWS = 100

type MembersProps = {
  /** The segment as it is saved; null while it is being changed. */
  readonly segment: Segment | null
  readonly filter: SegmentFilter
}

/** Every device of a saved segment, or of the filter that is being written, page by page. */
export function Members({ segment, filter }: MembersProps) {
  return segment === null ? (
    <FoundMembers filter={filter} />
  ) : (
    <SavedMembers segment={segment} filter={filter} />
  )
}

function SavedMembers({ segment, filter }: { readonly segment: Segment; readonly filter: SegmentFilter }) {
  const platform = usePlatform()
  const input = { path: { segment_id: String(segment.segment_id) }, query: queryOf(platform) }
  const list = useRows('GET /api/v1/segments/{segment_id}/members', input, { rowsOf })
  return <Shown list={list} platform={platform} everything={membersAddress({ segment, filter })} />
}

function FoundMembers({ filter }: Pick<MembersProps, 'filter'>) {
  const platform = usePlatform()
  const [settled] = useDebouncedValue(filter, SETTLES_MS)
  const input = { body: { filter: settled }, query: queryOf(platform) }
  const list = useRows('POST /api/v1/segments/preview/members', input, {
    rowsOf,
    isEnabled: isWhole(settled),
  })
  return <Shown list={list} platform={platform} everything={membersAddress({ segment: null, filter })} />
}

/** The platform that the address names, if any. */
function usePlatform(): Platform | undefined {
  const [words] = useSearchWords()
  return PLATFORM_NAMES.find((name) => name === words['platform'])
}

function queryOf(platform: Platform | undefined) {
  return { limit: PAGE_ROWS, ...(platform === undefined ? {} : { platform }) }
}

function rowsOf({ subscriptions }: { readonly subscriptions: readonly Subscription[] }) {
  return subscriptions
}

type ShownProps = {
  readonly list: RowList<Subscription>
  readonly platform: Platform | undefined
  /** The address of the devices of every platform. */
  readonly everything: string
}

function Shown({ list, platform, everything }: ShownProps) {
  const texts = useTexts(SEGMENT_TEXTS)
  return (
    <Card
      title={texts.members}
      aside={platform !== undefined && <Link to={everything}>{texts.onlyOf(PLATFORM_LABELS[platform])}</Link>}
      inset="flush"
    >
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <VirtualTable
        label={texts.members}
        columns={[
          { name: texts.person, cell: (device: Subscription) => <Person device={device} /> },
          { name: texts.device, cell: (device: Subscription) => deviceText(device) },
        ]}
        list={list}
        empty={<p className="small quiet">{texts.nobody}</p>}
      />
    </Card>
  )
}

export function Person({ device: { user_id: userId } }: { readonly device: Subscription }) {
  const texts = useTexts(SEGMENT_TEXTS)
  if (userId === null) return <span className="quiet">{texts.noPerson}</span>
  return <Link to={`/people/${encodeURIComponent(userId)}`}>{userId}</Link>
}

export function deviceText({ platform, browser, app_version: version, language }: Subscription): string {
  return [PLATFORM_LABELS[platform], browser, version, language].filter((word) => word !== null).join(', ')
}
