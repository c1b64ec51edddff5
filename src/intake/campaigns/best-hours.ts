import { type BestHour, bestHours } from '../../domain/campaigns/best-hour.ts'
import type { Campaign } from '../../domain/campaigns/campaign.ts'
import type { Schedule } from '../../domain/push/schedule.ts'
import { BEST_HOUR_LIMITS } from '../../rules/best-hours.ts'
import { TRANSACTIONAL } from '../../rules/topics.ts'
import type { Database } from '../../store/db.ts'
import type { AudienceQuery } from '../../store/push/audience-sql.ts'
import { loadBrandClock, loadBrandQuarters, walkActivity } from '../../store/push/best-hours.ts'

/** How many people and devices would get a message at which hour of their own day. */
export type HourCount = { readonly hour: number; readonly people: number; readonly devices: number }

export type BestHourCounts = {
  readonly until: number
  /** The hour of somebody in the brand's zone who did nothing lately. */
  readonly brandHour: BestHour
  /** People who get the message at the brand's hour, or at once if the brand has none. */
  readonly peopleWithoutOwn: number
  /** Not more than `dryRunDevicesMax`. */
  readonly devicesCounted: number
  readonly hours: readonly HourCount[]
}

const PAGE = 2_000

/** Counts the hours of an audience; null for a campaign that is not sent at each person's own hour. */
export async function countBestHours(
  database: Database,
  { topic }: Campaign,
  asked: { readonly query: AudienceQuery; readonly schedule: Schedule },
): Promise<BestHourCounts | null> {
  const { sendAt, bestHourUntil } = asked.schedule
  if (bestHourUntil === undefined) return null
  const { brandId } = asked.query
  return database.asEngine(async (tx) => {
    const { brandZone, quietHours } = await loadBrandClock(tx, brandId)
    const choose = bestHours({
      from: sendAt,
      until: bestHourUntil,
      brandZone,
      quietHours: topic === TRANSACTIONAL ? null : quietHours,
      brandQuarters: await loadBrandQuarters(tx, brandId),
    })
    const tally = new HourTally()
    for await (const page of walkActivity(tx, asked.query, PAGE)) {
      for (const member of page) tally.add(member.person, choose(member))
      if (tally.devices >= BEST_HOUR_LIMITS.dryRunDevicesMax) break
    }
    const brandHour = choose({ zone: null, quarters: [] })
    return { until: bestHourUntil, brandHour, ...tally.counts() }
  })
}

/** People and devices by hour. A person with several devices counts once. */
class HourTally {
  readonly #people = new Map<number, Set<bigint>>()
  readonly #devices = new Map<number, number>()
  readonly #without = new Set<bigint>()

  get devices(): number {
    return [...this.#devices.values()].reduce((sum, count) => sum + count, 0)
  }

  add(person: bigint, { hour, source }: BestHour): void {
    this.#people.set(hour, (this.#people.get(hour) ?? new Set()).add(person))
    this.#devices.set(hour, (this.#devices.get(hour) ?? 0) + 1)
    if (source !== 'person') this.#without.add(person)
  }

  counts(): Pick<BestHourCounts, 'hours' | 'devicesCounted' | 'peopleWithoutOwn'> {
    const hours = [...this.#people]
      .map(([hour, people]) => ({ hour, people: people.size, devices: this.#devices.get(hour) ?? 0 }))
      .toSorted((a, b) => a.hour - b.hour)
    return { hours, devicesCounted: this.devices, peopleWithoutOwn: this.#without.size }
  }
}
