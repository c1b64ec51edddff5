import { Button } from '@mantine/core'
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs'
import { useGo, useSearchWords } from '../kit/address.tsx'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { useMay } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useBrandZone } from '../kit/zone.ts'
import { Filters } from './filters.tsx'
import { FirstCard, useFirst } from './first-card.tsx'
import { queriesOf } from './list-filter.ts'
import { MessageTable } from './message-table.tsx'
import { MESSAGES_TEXTS } from './texts.ts'
import { type ListRow, useMessageList } from './use-list.ts'

/** Campaigns and single sends in one list, newest first; what waits for somebody stands above. */
export function MessagesPage() {
  const texts = useTexts(MESSAGES_TEXTS)
  const go = useGo()
  const mayWrite = useMay('push', 'draft')
  const [words] = useSearchWords()
  const zone = useBrandZone()
  const queries = queriesOf(words, zone ?? 'UTC')
  const list = useMessageList(queries)
  // The card above the list is known first, so that the list does not move.
  const first = useFirst(!queries.isNarrowed)
  const rows = queries.isNarrowed ? list.rows : list.rows?.filter((row) => !isFirst(row))
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <CopyCurl endpoint="GET /api/v1/campaigns" input={{ query: queries.campaigns ?? {} }} />
          {mayWrite && (
            <Button variant="filled" leftSection={<Icon of={IconPencil} />} onClick={() => go('/compose')}>
              {texts.compose}
            </Button>
          )}
        </>
      }
    >
      <Stack>
        <Filters readAt={list.readAt} />
        {first === undefined ? (
          <Card key="waiting">
            <Lines count={4} />
          </Card>
        ) : (
          <>
            <FirstCard campaigns={first} />
            <ListCard rows={rows} list={list} isNarrowed={queries.isNarrowed} />
          </>
        )}
      </Stack>
    </Page>
  )
}

type ListCardProps = {
  readonly rows: readonly ListRow[] | undefined
  readonly list: ReturnType<typeof useMessageList>
  readonly isNarrowed: boolean
}

function ListCard({ rows, list, isNarrowed }: ListCardProps) {
  return (
    <Card inset="flush">
      {list.error !== null && <FailureNote error={list.error} />}
      {(list.error === null || rows !== undefined) && (
        <MessageTable
          list={{
            count: rows?.length,
            rowAt: (index) => rows?.[index],
            hasMore: list.hasMore,
            look: (_, last) => {
              if (list.hasMore && !list.isFetching && last >= (rows?.length ?? 0) - NEAR_ROWS) list.more()
            },
          }}
          empty={<Nothing isNarrowed={isNarrowed} />}
        />
      )}
    </Card>
  )
}

/** The next rows are read when the reader is this near to the end. */
const NEAR_ROWS = 30

/** Drafts and campaigns that await approval stand in a card of their own. */
function isFirst(row: ListRow): boolean {
  return (
    row.kind === 'message' && (row.message.state === 'draft' || row.message.state === 'awaiting_approval')
  )
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const texts = useTexts(MESSAGES_TEXTS)
  const go = useGo()
  const mayWrite = useMay('push', 'draft')
  if (isNarrowed) {
    return (
      <Empty title={texts.noneTitle} text={texts.noneText}>
        <Button onClick={() => go('/messages')}>{texts.clear}</Button>
      </Empty>
    )
  }
  return (
    <Empty title={texts.emptyTitle} text={texts.emptyText}>
      {mayWrite && <Button onClick={() => go('/compose')}>{texts.compose}</Button>}
    </Empty>
  )
}
