import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, withOwner } from '../../src/store/db.ts'
import type { TestDatabase } from '../../test/support/database/database.ts'

/** One device in so many has long been wiped, as in an audience that was never cleaned. */
export const DEAD_EVERY = 20

/** The token of the n-th device, the same in SQL and in the sandbox, so that nobody has to be sent a million of them. */
export function tokenOf(number: number): string {
  return createHash('sha256').update(`device ${number}`).digest('hex')
}

export type AudienceSeed = { readonly brandId: number; readonly count: number }

/** Devices of a brand. Their indexes are made afterwards, which is several times as fast for very many. */
export async function seedAudience(url: string, audiences: readonly AudienceSeed[]): Promise<void> {
  await withOwner(url, async (owner) => {
    await owner.query('set statement_timeout = 0')
    const { rows: indexes } = await owner.query<{ name: string; definition: string }>(
      `select indexname as name, indexdef as definition from pg_indexes
       where tablename = 'subscriptions' and indexname <> 'subscriptions_pkey'`,
    )
    for (const { name } of indexes) await owner.query(`drop index ${name}`)
    await owner.query('alter table subscriptions no force row level security')
    for (const { brandId, count } of audiences) await owner.query(SEED, [brandId, count])
    await owner.query('alter table subscriptions force row level security')
    for (const { definition } of indexes) await owner.query(definition)
    await owner.query('vacuum analyze subscriptions')
  })
}

const SEED = `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, state_since,
    created_at, registered_at, updated_at)
  select $1, 'sub-' || number, 'ios', token, sha256(token::bytea), now(), now(), now(), now()
  from (select number, encode(sha256(('device ' || number)::bytea), 'hex') as token
    from generate_series(1, $2) as number) as device
  order by number`

/**
 * Makes the wiped devices known to us as live again, so that each round meets the same audience. The rows that this
 * leaves behind are tidied up at once: otherwise PostgreSQL would do it in every second round, at the cost of that one.
 */
export async function reviveAudience({ fresh, brandId }: RevivedAudience): Promise<void> {
  await fresh.database.query(
    `update subscriptions set state = 'live' where brand_id = $1 and state = 'gone'`,
    [brandId],
  )
  await withOwner(fresh.url, async (owner) => owner.query('vacuum analyze subscriptions'))
}

/**
 * Dead devices are retired just after the last outcome is written; before that the next round would bring them back. The
 * brake may hold some of them back, which then stay live, so the wait also ends when their number has stopped growing.
 */
export async function untilRetired(database: Database, brandId: number, dead: number): Promise<void> {
  let [before, since] = [-1, performance.now()]
  for (;;) {
    const { rows } = await database.query<{ gone: number }>(
      `select count(*)::integer as gone from subscriptions where brand_id = $1 and state = 'gone'`,
      [brandId],
    )
    const gone = rows[0]?.gone ?? 0
    if (gone !== before) [before, since] = [gone, performance.now()]
    if (gone === dead || performance.now() - since > SETTLED_MS) return
    await delay(LOOK_MS)
  }
}

const LOOK_MS = 50
const SETTLED_MS = 1_000

type RevivedAudience = { readonly fresh: Pick<TestDatabase, 'database' | 'url'>; readonly brandId: number }
