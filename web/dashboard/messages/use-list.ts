import { useEffect } from 'react'
import type { ReplyOf } from '../kit/call.ts'
import { PAGES_READ_ANEW, useReadPages } from '../kit/queries.ts'
import type { ListQueries } from './list-filter.ts'
import { type Message, messageOfCampaign, messageOfNotification, pollMsOf } from './message.ts'

export type JourneySends = NonNullable<ReplyOf<'GET /api/v1/notifications'>['journey_sends']>[number]

/** A line of the list: a message, or what a step of a journey sent on a day. */
export type ListRow =
  | { readonly kind: 'message'; readonly at: string; readonly message: Message }
  | { readonly kind: 'journey'; readonly at: string; readonly sends: JourneySends }

export type MessageList = {
  readonly rows: readonly ListRow[] | undefined
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isFetching: boolean
  /** When the older of both lists was read, in milliseconds; 0 until it came. */
  readonly readAt: number
  readonly more: () => void
}

const LIST_POLL_MS = 5_000

/** Campaigns and single sends in one list, newest first. */
export function useMessageList({ campaigns, notifications }: ListQueries): MessageList {
  const first = useReadPages(
    'GET /api/v1/campaigns',
    { query: campaigns ?? {} },
    { isEnabled: campaigns !== null },
  )
  const second = useReadPages(
    'GET /api/v1/notifications',
    { query: notifications ?? {} },
    { isEnabled: notifications !== null },
  )
  const lists = [...(campaigns === null ? [] : [first]), ...(notifications === null ? [] : [second])]
  const ofCampaigns = campaigns === null ? [] : first.data?.pages.flatMap((page) => page.campaigns)
  const pages = notifications === null ? [] : second.data?.pages
  const rows =
    ofCampaigns === undefined || pages === undefined
      ? undefined
      : joined(
          {
            rows: ofCampaigns.map((campaign) => rowOf(messageOfCampaign(campaign))),
            hasMore: campaigns !== null && first.hasNextPage,
          },
          {
            rows: pages.flatMap((page) => page.notifications.map((one) => rowOf(messageOfNotification(one)))),
            hasMore: notifications !== null && second.hasNextPage,
          },
          (pages[0]?.journey_sends ?? []).map((sends) => ({
            kind: 'journey',
            at: `${sends.day}T00:00:00Z`,
            sends,
          })),
        )
  const isShort = lists.every(({ data }) => (data?.pages.length ?? 0) <= PAGES_READ_ANEW)
  const hasMoving = rows?.some((row) => row.kind === 'message' && pollMsOf(row.message) === 2_000) ?? false
  const isMoving = hasMoving && isShort
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(() => {
      for (const list of lists) void list.refetch()
    }, LIST_POLL_MS)
    return () => clearInterval(timer)
  }, [isMoving])
  return {
    rows,
    error: lists.find(({ error }) => error !== null)?.error ?? null,
    hasMore: lists.some(({ hasNextPage }) => hasNextPage),
    isFetching: lists.some(({ isFetchingNextPage }) => isFetchingNextPage),
    readAt: Math.min(...lists.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    more: () => {
      for (const list of lists) if (list.hasNextPage) void list.fetchNextPage()
    },
  }
}

function rowOf(message: Message): ListRow {
  return { kind: 'message', at: message.at, message }
}

type Part = { readonly rows: readonly ListRow[]; readonly hasMore: boolean }

/** Rows older than the end of a list that goes on are kept back, because others may belong before them. */
function joined(one: Part, other: Part, journeys: readonly ListRow[]): readonly ListRow[] {
  const ends = [one, other].flatMap(({ rows, hasMore }) => (hasMore ? [rows.at(-1)?.at ?? ''] : []))
  const bound = ends.toSorted().at(-1) ?? ''
  return [...one.rows, ...other.rows, ...journeys]
    .filter(({ at }) => at >= bound)
    .toSorted((a, b) => b.at.localeCompare(a.at))
}
