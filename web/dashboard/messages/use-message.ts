import { useEffect, useRef, useState } from 'react'
import { useLive } from '../kit/live.ts'
import { useRead } from '../kit/queries.ts'
import { isOver, type Message, messageOfCampaign, messageOfNotification, pollMsOf } from './message.ts'

export type MessageRead = {
  readonly message: Message | undefined
  readonly error: Error | null
  /** When the counts were read, in milliseconds. */
  readonly asOf: number
  readonly retry: () => void
}

/** One message with its present counts, live while they may change; nothing is asked for when it is over. */
export function useMessage(kind: string, id: string): MessageRead {
  const [everyMs, setEveryMs] = useState<number | undefined>(undefined)
  const poll = everyMs === undefined ? {} : { everyMs }
  const isCampaign = kind === 'campaign'
  const campaign = useRead(
    'GET /api/v1/campaigns/{campaign_id}',
    { path: { campaign_id: id } },
    { ...poll, isEnabled: isCampaign },
  )
  const notification = useRead(
    'GET /api/v1/notifications/{id}',
    { path: { id } },
    { ...poll, isEnabled: !isCampaign },
  )
  const ofCampaign = campaign.data && messageOfCampaign(campaign.data.campaign)
  const ofNotification = notification.data && messageOfNotification(notification.data.notification)
  const message = isCampaign ? ofCampaign : ofNotification
  const read = isCampaign ? campaign : notification
  const wanted = message === undefined ? undefined : pollMsOf(message)
  const isWatched = message !== undefined && !isOver(message)
  const news = useLive(isWatched ? `${isCampaign ? 'campaign' : 'notification'}:${id}` : null)
  useEffect(() => {
    // The stream tells of each change within a second; asking is for browsers that lost it.
    if (news !== undefined) void read.refetch()
    setEveryMs(wanted === undefined || news === undefined ? wanted : Math.max(wanted, LOST_MS))
  }, [wanted, news])
  return { message, error: read.error, asOf: read.dataUpdatedAt, retry: () => void read.refetch() }
}

const LOST_MS = 10_000

type Sample = { readonly at: number; readonly done: number }

const WINDOW_MS = 15_000

/** How many devices a second are done with, over the last seconds that this page saw; null while it cannot be told. */
export function useRate({
  message,
  asOf,
}: {
  readonly message: Message
  readonly asOf: number
}): number | null {
  const samples = useRef<readonly Sample[]>([])
  const done = (message.audience ?? 0) - message.pending
  const last = samples.current.at(-1)
  if (last === undefined || last.at < asOf) {
    samples.current = [...samples.current.filter(({ at }) => at > asOf - WINDOW_MS), { at: asOf, done }]
  }
  const first = samples.current[0]
  const isMoving = message.state === 'sending' || message.state === 'queued'
  if (!isMoving || first === undefined || first.at === asOf) return null
  const rate = (done - first.done) / ((asOf - first.at) / 1000)
  return rate > 0 ? rate : null
}
