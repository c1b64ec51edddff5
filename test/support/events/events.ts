import type { Db } from '../../../src/store/db.ts'
import type { TestBrand } from '../database/database.ts'
import { type Answer, call, keyHeaders } from '../processes/server.ts'

/** Posts entries to /api/event as the brand's own server would. */
export async function logEntries(
  port: number,
  brand: TestBrand,
  nv: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = { nv }
  return call(port, { path: '/api/event', headers: { ...keyHeaders(brand), ...headers }, body })
}

/** An entry that is good, and differs where the test says. */
export function entryOf(change: object = {}): object {
  return { userID: 'u1', event_name: 'order placed', attributes: { total: 5 }, ...change }
}

export type StoredEvent = {
  readonly id: bigint
  readonly userId: string
  readonly name: string
  readonly at: number
  readonly ltv: string
  readonly attributes: object
  readonly mistyped: object | null
  readonly context: object | null
  readonly isBeforeCreation: boolean
  readonly profileCreatedAt: number
}

/** Everything a brand has stored, in the order it was stored. */
export async function loadEvents(db: Db, { brandId }: TestBrand): Promise<readonly StoredEvent[]> {
  const { rows } = await db.query<StoredEvent>(
    `select events.id, value as "userId", event_name as name, event_at as at, ltv, attributes,
       mistyped, context, is_before_creation as "isBeforeCreation",
       profile_created_at as "profileCreatedAt"
     from events join profile_identities using (brand_id, profile_id)
     where brand_id = $1 and kind = 'user_id' order by events.id`,
    [brandId],
  )
  return rows
}
