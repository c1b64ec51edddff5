import { CAMPAIGN_STATE_NAMES } from '../../../src/rules/campaigns.ts'
import type { Input } from '../kit/call.ts'
import { startOfDay } from '../kit/zone.ts'

type CampaignQuery = NonNullable<Input<'GET /api/v1/campaigns'>['query']>
type NotificationQuery = NonNullable<Input<'GET /api/v1/notifications'>['query']>

type Words = Readonly<Record<string, string | undefined>>

/** The queries of the two lists that the page joins; null where a filter leaves nothing of one. */
export type ListQueries = {
  readonly campaigns: CampaignQuery | null
  readonly notifications: NotificationQuery | null
  readonly isNarrowed: boolean
}

const NOTIFICATION_STATES = ['scheduled', 'queued', 'sending', 'sent', 'failed', 'cancelled'] as const

/** Every state that the list can be narrowed to, in the order of a message's life. */
export const FILTER_STATES = [
  'draft',
  'awaiting_approval',
  'scheduled',
  'queued',
  'sending',
  'deciding',
  'sent',
  'failed',
  'cancelled',
] as const

export const SOURCES = ['', 'campaign', 'endpoint', 'journey'] as const
export const SINCE = ['', 'today', 'week', 'month'] as const

const DAYS_BACK = { today: 0, week: 6, month: 29 } as const
const PAGE_ROWS = 50
const TEXT_CHARS_MIN = 2

/** Reads the address. Unknown words count as absent, so that an old link still opens the list. */
export function queriesOf(words: Words, timeZone: string): ListQueries {
  const { state = '', q = '', journey = '' } = words
  const source = SOURCES.find((name) => name === words['source']) ?? ''
  const text = q.length < TEXT_CHARS_MIN ? {} : { text: q }
  const from = fromOf(words['since'], timeZone)
  const isArchived = state === 'archived'
  const known = FILTER_STATES.find((name) => name === state)
  const ofCampaign = CAMPAIGN_STATE_NAMES.find((name) => name === known)
  const ofNotification = NOTIFICATION_STATES.find((name) => name === known)
  const wantsCampaigns = source === '' || source === 'campaign'
  const hasCampaigns = wantsCampaigns && journey === '' && (known === undefined || ofCampaign !== undefined)
  const wantsSends = source !== 'campaign' && !isArchived
  const hasSends = wantsSends && (known === undefined || ofNotification !== undefined)
  const shared = { limit: PAGE_ROWS, ...text, ...from }
  return {
    campaigns: hasCampaigns
      ? { ...shared, ...(ofCampaign && { state: ofCampaign }), ...(isArchived && { archived: true }) }
      : null,
    notifications: hasSends
      ? { ...shared, ...(ofNotification && { state: ofNotification }), ...sourceOf(source, journey) }
      : null,
    isNarrowed: [state, q, journey, source, words['since'] ?? ''].some((word) => word !== ''),
  }
}

/** Sends of journeys are one line a step and day, unless they are what is looked for. */
function sourceOf(source: (typeof SOURCES)[number], journey: string): NotificationQuery {
  if (source === 'journey' || journey !== '') {
    return { source: 'journey', ...(journey !== '' && { journey_id: journey }) }
  }
  return source === 'endpoint' ? { source } : { source: 'endpoint,journey', fold: 'journeys' }
}

/** Whole days of the brand, as the numbers of Home are. */
function fromOf(since: string | undefined, timeZone: string): { readonly from?: string } {
  const span = since === 'today' || since === 'week' || since === 'month' ? since : null
  return span === null ? {} : { from: startOfDay(timeZone, DAYS_BACK[span]) }
}
