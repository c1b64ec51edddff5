import { useLive } from './live.ts'

type Platform = 'android' | 'ios' | 'web'

/** The subject `overview` of the live stream. A part that the reader's role does not show is absent. */
export type Overview = {
  readonly sends?: { readonly today: SendsToday }
  readonly queue?: { readonly age_seconds: number; readonly is_held: boolean }
  readonly approvals?: {
    readonly waiting: number
    readonly campaigns: readonly { readonly campaign_id: number | bigint; readonly name: string }[]
  }
  readonly events?: {
    readonly today: number
    readonly minutes: readonly { readonly at: string; readonly count: number }[]
  }
  readonly refused?: { readonly last_24_hours: number; readonly is_capped: boolean }
  readonly type_conflicts?: { readonly attributes: number }
  readonly devices?: { readonly live: number }
  readonly channels?: { readonly troubled: readonly TroubledChannel[] }
}

type SendsToday = {
  readonly accepted: number
  readonly failed: number
  readonly received: number
  readonly clicked: number
  readonly opt_outs: number
}

export type TroubledChannel = {
  readonly platform: Platform
  readonly state: 'partial' | 'failing' | 'paused' | 'unable'
  readonly reason: string | null
  readonly advice: string | null
}

export type SeenOverview = { readonly overview: Overview; readonly asOf: string }

/** The state of the brand, as of the last two seconds; undefined until it came. */
export function useOverview(): SeenOverview | undefined {
  const message = useLive('overview')
  if (message === undefined) return undefined
  return { overview: Object(message.data['overview']), asOf: String(message.data['as_of']) }
}

/** One thing that waits for a person. */
export type Need =
  | { readonly kind: 'channel'; readonly channel: TroubledChannel }
  | { readonly kind: 'held' }
  | { readonly kind: 'queue'; readonly seconds: number }
  | { readonly kind: 'approval'; readonly name: string; readonly campaignId: string }
  | { readonly kind: 'refused'; readonly count: number; readonly isCapped: boolean }
  | { readonly kind: 'conflicts'; readonly count: number }

/** A queue is old when its oldest message could have been sent this long ago. */
const OLD_SECONDS = 60

/** The matters that need somebody now, the worst first. */
export function needsOf({ channels, queue, approvals, refused, type_conflicts }: Overview): readonly Need[] {
  const isHeld = queue?.is_held === true
  const age = queue?.age_seconds ?? 0
  const refusals = refused?.last_24_hours ?? 0
  const conflicts = type_conflicts?.attributes ?? 0
  return [
    ...(channels?.troubled ?? []).map((channel) => ({ kind: 'channel', channel }) as const),
    ...(isHeld ? [{ kind: 'held' } as const] : []),
    ...(age > OLD_SECONDS && !isHeld ? [{ kind: 'queue', seconds: age } as const] : []),
    ...(approvals?.campaigns ?? []).map(
      ({ campaign_id: id, name }) => ({ kind: 'approval', name, campaignId: String(id) }) as const,
    ),
    ...(refusals > 0
      ? [{ kind: 'refused', count: refusals, isCapped: refused?.is_capped === true } as const]
      : []),
    ...(conflicts > 0 ? [{ kind: 'conflicts', count: conflicts } as const] : []),
  ]
}
