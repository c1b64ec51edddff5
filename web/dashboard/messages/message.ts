import type { Campaign } from '../../client/api/campaigns.ts'
import type { Notification } from '../../client/api/notifications.ts'

export type MessageState = Campaign['state'] | Notification['state']

export type Counts = {
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  readonly pending: number
}

/** The part of a message for one platform. */
export type MessagePart = Counts & {
  readonly id: string
  readonly platform: Notification['platform']
  readonly audience: number | null
  readonly reason: string | null
}

/** A campaign or a single send, as the pages show both. */
export type Message = Counts & {
  readonly kind: 'campaign' | 'notification'
  readonly id: string
  readonly title: string
  readonly state: MessageState
  readonly reason: string | null
  readonly advice: string | null
  readonly people: number | null
  readonly audience: number | null
  readonly clicked: number
  readonly at: string
  readonly sendAt: string | null
  readonly finishedAt: string | null
  readonly isTest: boolean
  readonly isArchived: boolean
  readonly parts: readonly MessagePart[]
  readonly campaign: Campaign | null
  readonly notification: Notification | null
}

export function messageOfCampaign(campaign: Campaign): Message {
  const { accepted, failed, expired, cancelled, pending, clicked, people, state, reason } = campaign
  return {
    kind: 'campaign',
    id: String(campaign.campaign_id),
    title: campaign.name,
    state,
    reason,
    advice: null,
    people,
    audience: campaign.devices,
    accepted,
    failed,
    expired,
    cancelled,
    pending,
    clicked,
    at: campaign.created_at,
    sendAt: campaign.send_at,
    finishedAt: campaign.finished_at,
    isTest: false,
    isArchived: campaign.archived_at !== null,
    parts: campaign.notifications,
    campaign,
    notification: null,
  }
}

export function messageOfNotification(notification: Notification): Message {
  const { accepted, failed, expired, cancelled, pending, clicked, state, reason, audience } = notification
  const { id, platform, title, message } = notification
  return {
    kind: 'notification',
    id,
    title: title === '' ? message : title,
    state,
    reason,
    advice: notification.advice,
    people: null,
    audience,
    accepted,
    failed,
    expired,
    cancelled,
    pending,
    clicked,
    at: notification.created_at,
    sendAt: notification.send_at,
    finishedAt: notification.finished_at,
    isTest: notification.source.is_test === true,
    isArchived: false,
    parts: [{ id, platform, audience, reason, accepted, failed, expired, cancelled, pending }],
    campaign: null,
    notification,
  }
}

export function addressOfMessage({ kind, id }: Pick<Message, 'kind' | 'id'>): string {
  return `/messages/${kind}/${id}`
}

const FINAL: readonly MessageState[] = ['sent', 'failed', 'cancelled']

export function isOver({ state }: Pick<Message, 'state'>): boolean {
  return FINAL.includes(state)
}

const SOON_MS = 90_000

/** How often a message is asked for: often while it is sent or about to be, seldom while it waits, never when it is over. */
export function pollMsOf({ state, sendAt }: Pick<Message, 'state' | 'sendAt'>): number | undefined {
  if (state === 'queued' || state === 'sending') return 2_000
  const isSoon = sendAt !== null && new Date(sendAt).getTime() - Date.now() < SOON_MS
  if (state === 'scheduled' && isSoon) return 2_000
  return state === 'scheduled' || state === 'deciding' || state === 'awaiting_approval' ? 30_000 : undefined
}

/** The share of a part in a whole; NaN, which is shown as a dash, of nothing. */
export function shareOf({ part, whole }: { readonly part: number; readonly whole: number | null }): number {
  return whole === null || whole === 0 ? Number.NaN : part / whole
}
