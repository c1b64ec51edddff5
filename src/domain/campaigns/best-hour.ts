import { BEST_HOUR_LIMITS } from '../../rules/best-hours.ts'
import { type QuietHours, quietHoursEnd } from '../preferences/quiet-hours.ts'
import { timeZoneOf } from '../values/time-zone.ts'
import { hourOfDay, type LocalHours, localHoursIn, QUARTER_MS, quarterOf } from './local-hours.ts'

/** The span in which everybody gets a message, and the facts of the brand that decide beside those of each person. */
export type BestHourQuery = {
  readonly from: number
  readonly until: number
  readonly brandZone: string
  /** Null when they do not hold for the message. */
  readonly quietHours: QuietHours | null
  /** The events of the brand by quarter hour. */
  readonly brandQuarters: readonly BrandQuarter[]
}

export type BrandQuarter = { readonly quarter: number; readonly events: number }

/** The facts about one person, or about a device without a person. */
export type ActivePerson = {
  /** Null when it is not known; then the brand's zone holds. */
  readonly zone: string | null
  /** The quarter hours in which the person did something, in any order. */
  readonly quarters: readonly number[]
}

/** The hour at which somebody gets a message, and why. */
export type BestHour = {
  readonly at: number
  /** The hour of the day on the clock of the zone. */
  readonly hour: number
  readonly zone: string
  /** Whose activity decided; `nobody` when neither the person nor the brand has any in these hours. */
  readonly source: 'person' | 'brand' | 'nobody'
  /** On how many days the person was active at this hour, or how many events the brand had. */
  readonly count: number
}

/**
 * Makes the choice of the hour. An hour counts the days on which the person did something in it, so that one long evening
 * does not outweigh a habit. The hour with the most days wins, and of equal ones the one that comes next. Only the
 * hours of the span can be chosen, and none that begins in quiet hours if there is another. A person without any
 * activity in these hours gets the brand's hour, on the person's own clock. Zones are looked up once for all people.
 */
export function bestHours(query: BestHourQuery): (person: ActivePerson) => BestHour {
  const { brandZone, brandQuarters } = query
  const zones = new Map<string, ZonePlan>()
  const planOf = (given: string): ZonePlan => {
    const plan = zones.get(given) ?? planZone(timeZoneOf(given) ?? brandZone, query)
    zones.set(given, plan)
    return plan
  }
  const brandCounts = countEvents(brandQuarters, planOf(brandZone))
  return ({ zone: given, quarters }) => {
    const plan = planOf(given ?? brandZone)
    const { zone } = plan
    const own = chooseHour(countDays(quarters, plan), plan)
    if (own !== null) return { ...own, zone, source: 'person' }
    const brand = chooseHour(brandCounts, plan)
    if (brand !== null) return { ...brand, zone, source: 'brand' }
    const [{ at, hours }] = plan.upcoming
    return { at, hour: hours.at(-1) ?? 0, zone, source: 'nobody', count: 0 }
  }
}

/** An hour that can be chosen: when it begins, and the hours of the day it stands for. */
type UpcomingHour = { readonly at: number; readonly hours: readonly number[] }

type ZonePlan = {
  readonly zone: string
  readonly localHours: LocalHours
  /** The quarter hours after `after` and up to `upTo` count. */
  readonly after: number
  readonly upTo: number
  readonly upcoming: readonly [UpcomingHour, ...UpcomingHour[]]
}

function planZone(zone: string, { from, until, quietHours }: BestHourQuery): ZonePlan {
  const after = quarterOf(from) - QUARTERS_BACK
  const localHours = localHoursIn(zone, { from: after * QUARTER_MS, until })
  const all = upcomingHours(localHours, { from, until })
  const [first, ...others] =
    quietHours === null ? all : all.filter(({ at }) => quietHoursEnd(quietHours, zone, at) === null)
  return {
    zone,
    localHours,
    after,
    upTo: quarterOf(from),
    upcoming: first === undefined ? all : [first, ...others],
  }
}

const QUARTERS_BACK = BEST_HOUR_LIMITS.daysBack * 96

/**
 * The hours of a span, each with its beginning. The hour that has begun already begins now. An hour that daylight saving
 * skips is sent with the next one, and one that comes twice is the first.
 */
function upcomingHours(
  localHours: LocalHours,
  { from, until }: { readonly from: number; readonly until: number },
): readonly [UpcomingHour, ...UpcomingHour[]] {
  let newest = localHours(quarterOf(from))
  const hours: [UpcomingHour, ...UpcomingHour[]] = [{ at: from, hours: [hourOfDay(newest)] }]
  const seen = new Set([hourOfDay(newest)])
  for (let quarter = quarterOf(from) + 1; quarter * QUARTER_MS < until; quarter += 1) {
    const begun = localHours(quarter)
    const fresh: number[] = []
    for (; newest < begun; newest += 1) fresh.push(hourOfDay(newest + 1))
    const own = fresh.filter((hour) => !seen.has(hour))
    for (const hour of own) seen.add(hour)
    if (own.length > 0) hours.push({ at: quarter * QUARTER_MS, hours: own })
  }
  return hours
}

/** The days on which somebody was active, for each hour of the day. */
function countDays(quarters: readonly number[], { localHours, after, upTo }: ZonePlan): readonly number[] {
  const counts = Array.from({ length: 24 }, () => 0)
  const seen = new Set<number>()
  for (const quarter of quarters) {
    if (quarter <= after || quarter > upTo) continue
    const local = localHours(quarter)
    if (seen.has(local)) continue
    seen.add(local)
    const hour = hourOfDay(local)
    counts[hour] = (counts[hour] ?? 0) + 1
  }
  return counts
}

function countEvents(
  quarters: readonly BrandQuarter[],
  { localHours, after, upTo }: ZonePlan,
): readonly number[] {
  const counts = Array.from({ length: 24 }, () => 0)
  for (const { quarter, events } of quarters) {
    if (quarter <= after || quarter > upTo) continue
    const hour = hourOfDay(localHours(quarter))
    counts[hour] = (counts[hour] ?? 0) + events
  }
  return counts
}

type ChosenHour = Pick<BestHour, 'at' | 'hour' | 'count'>

/** The upcoming hour with the highest count, the first of equal ones; null when nothing was counted in any of them. */
function chooseHour(counts: readonly number[], { upcoming }: ZonePlan): ChosenHour | null {
  let best: ChosenHour | null = null
  for (const { at, hours } of upcoming) {
    for (const hour of hours) {
      const count = counts[hour] ?? 0
      if (count > (best?.count ?? 0)) best = { at, hour, count }
    }
  }
  return best
}
