/** A week of events and the range of their ids, which begin with the time of receipt. Weeks begin on Monday, in UTC. */
export type EventWeek = {
  /** The table's name, such as `events_2026_11_09`. */
  readonly table: string
  readonly startsAt: number
  readonly endsAt: number
  readonly firstId: bigint
  /** The first id after the week. */
  readonly endId: bigint
}

export function weekOf(at: number): EventWeek {
  const startsAt = Math.floor((at - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS
  const endsAt = startsAt + WEEK_MS
  const day = weekDay({ startsAt }).replaceAll('-', '_')
  return { table: `events_${day}`, startsAt, endsAt, firstId: firstIdAt(startsAt), endId: firstIdAt(endsAt) }
}

/** The Monday with which a week begins: `2026-11-09`. */
export function weekDay({ startsAt }: Pick<EventWeek, 'startsAt'>): string {
  return new Date(startsAt).toISOString().slice(0, 10)
}

/** The week a table holds; null for a table that is no week. */
export function weekOfTable(table: string): EventWeek | null {
  const match = /^events_(\d{4})_(\d{2})_(\d{2})$/.exec(table)
  return match === null ? null : weekOf(Date.parse(match.slice(1).join('-')))
}

/** The smallest id an event received at this moment can have. */
export function firstIdAt(at: number): bigint {
  return BigInt(Math.trunc(at)) << ID_PLACE_BITS
}

/** When an event with this id was received. */
export function receivedAt(id: bigint): number {
  return Number(id >> ID_PLACE_BITS)
}

export const WEEK_MS = 7 * 86_400_000

/** 11 bits number the batches of a millisecond, 10 the events of a batch. */
const ID_PLACE_BITS = 21n

/** The first Monday after 1970 began, which was a Thursday. */
const MONDAY_MS = 4 * 86_400_000
