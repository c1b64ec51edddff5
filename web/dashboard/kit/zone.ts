import { useRead } from './queries.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The zone of the brand, in which its days begin; undefined until it is known. */
export function useBrandZone(): string | undefined {
  return useRead('GET /api/v1/brand', {}).data?.brand.time_zone
}

/** The midnight with which today, or a day before it, began in a zone, as ISO 8601. It is the same all day long. */
export function startOfDay(timeZone: string, daysBack = 0): string {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - daysBack * DAY_MS
  const first = now - sinceMidnight(now, timeZone)
  // On the day on which clocks change, that may be an hour before or after midnight.
  const rest = sinceMidnight(first, timeZone)
  return new Date(first - (rest > DAY_MS / 2 ? rest - DAY_MS : rest)).toISOString()
}

function sinceMidnight(at: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })
  const [hours = 0, minutes = 0] = clock.format(at).split(':').map(Number)
  return ((hours % 24) * 60 + minutes) * MINUTE_MS
}
