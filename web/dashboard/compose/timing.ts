import type { Campaign } from '../../client/api/campaigns.ts'

export type TimingKind = 'now' | 'at' | 'own' | 'best'

export type Timing = {
  readonly kind: TimingKind
  readonly date: string
  readonly time: string
  /** The zone of `at`, as the browser names it or as it was stored. */
  readonly zone: string
  readonly withinHours: number
}

type StoredTiming = Partial<Pick<Campaign, 'schedule_date' | 'schedule_time' | 'time_zone' | 'best_hour'>>

export const OWN_CLOCK = 'subscriber'

export function readTiming(stored: StoredTiming): Timing {
  const { schedule_date: date, schedule_time: time, time_zone: zone, best_hour: best } = stored
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const blank = { kind: 'now', date: tomorrow(), time: '09:00', zone: own, withinHours: 24 } as const
  if (best !== undefined) return { ...blank, kind: 'best', withinHours: best.within_hours }
  if (date === undefined || time === undefined) return blank
  if (zone === OWN_CLOCK) return { ...blank, kind: 'own', date, time: time.slice(0, 5) }
  return { ...blank, kind: 'at', date, time: time.slice(0, 5), zone: String(zone ?? 'UTC') }
}

/** The fields of a call; null takes a field away that was stored before. */
export function writeTiming({ kind, date, time, zone, withinHours }: Timing) {
  const none = { schedule_date: null, schedule_time: null, time_zone: null, best_hour: null }
  if (kind === 'now') return none
  if (kind === 'best') return { ...none, best_hour: { within_hours: withinHours } }
  return { ...none, schedule_date: date, schedule_time: time, time_zone: kind === 'own' ? OWN_CLOCK : zone }
}

function tomorrow(): string {
  const day = new Date(Date.now() + 86_400_000)
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}
