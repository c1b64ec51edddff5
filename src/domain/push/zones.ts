import { CHUNK_RULES } from '../../rules/push.ts'
import { timeZoneOf } from '../values/time-zone.ts'
import { lastInstantOf, sendInstantOf } from './schedule.ts'

/** One step of a notification that is sent at the same wall-clock time everywhere. */
type ZoneStep = {
  /** The zones whose moment has come since the last step, each with that moment. */
  readonly due: readonly { readonly zone: string; readonly at: number }[]
  /** When to look again; null when it is over even where the day ends last. */
  readonly nextAt: number | null
}

type ZoneQuery = {
  readonly wall: string
  /** As they are stored with the live subscriptions. */
  readonly zones: readonly string[]
  /** The brand's own, for a zone that is not known to us. */
  readonly brandZone: string
  /** How far the last step came; null before the first. */
  readonly doneUntil: number | null
  readonly now: number
}

/** The plan is made again at least every quarter of an hour, because people in other zones may subscribe meanwhile. */
export function planZones({ wall, zones, brandZone, doneUntil, now }: ZoneQuery): ZoneStep {
  const instantIn = subscriberInstants({ wall, brandZone })
  const moments = zones.map((zone) => ({ zone, at: instantIn(zone) }))
  const due = moments.filter(({ at }) => at <= now && (doneUntil === null || at > doneUntil))
  const last = lastInstantOf(wall)
  if (last <= now) return { due, nextAt: null }
  const later = moments.map(({ at }) => at).filter((at) => at > now)
  return { due, nextAt: Math.min(...later, now + CHUNK_RULES.zoneStepMs, last) }
}

/** The instant of a wall-clock time in the zone of a subscriber. Each zone is looked up once, because that takes long. */
export function subscriberInstants({
  wall,
  brandZone,
}: Pick<ZoneQuery, 'wall' | 'brandZone'>): (zone: string | null) => number {
  const instants = new Map<string | null, number>()
  return (zone) => {
    const known = instants.get(zone)
    if (known !== undefined) return known
    const at = sendInstantOf(wall, (zone === null ? null : timeZoneOf(zone)) ?? brandZone)
    instants.set(zone, at)
    return at
  }
}
