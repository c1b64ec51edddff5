import type { Filter } from '../domain/segment.ts'
import type { Platform } from '../rules/platforms.ts'
import { Binds } from './bind.ts'
import type { Db } from './db.ts'
import type { SegmentReach } from './segment-comparison-sql.ts'
import { segmentSql } from './segment-sql.ts'
import { SUBSCRIPTION_COLUMNS, type Subscription } from './subscriptions.ts'

export type SegmentQuery = {
  readonly brandId: number
  readonly filter: Filter
  readonly now: number
  readonly reach?: SegmentReach
}

export type PlatformCount = { readonly platform: Platform; readonly count: number }

/** How many live subscriptions a filter finds now, platform by platform. Run it as the engine. */
export async function countMembers(db: Db, query: SegmentQuery): Promise<readonly PlatformCount[]> {
  const binds = new Binds()
  const { rows } = await db.query<PlatformCount>(
    `select s.platform, count(*)::integer as count from subscriptions as s
     where ${membersSql(query, binds)} group by s.platform order by s.platform`,
    binds.values,
  )
  return rows
}

export type MemberPage = SegmentQuery & { readonly afterId: bigint; readonly limit: number }

/** A page of the live subscriptions a filter finds now, in the order they came. Run it as the engine. */
export async function listMembers(db: Db, page: MemberPage): Promise<readonly Subscription[]> {
  const binds = new Binds()
  const members = membersSql(page, binds)
  const { rows } = await db.query<Subscription>(
    `select ${SUBSCRIPTION_COLUMNS} from subscriptions as s
     where ${members} and s.id > ${binds.add(page.afterId)} order by s.id limit ${binds.add(page.limit)}`,
    binds.values,
  )
  return rows
}

function membersSql({ brandId, filter, now: at, reach = 'everybody' }: SegmentQuery, binds: Binds): string {
  const brand = binds.add(brandId)
  // Written out, because a value that most filters do not mention would be one of unknown type.
  const now = `timestamptz '${new Date(at).toISOString()}'`
  return `s.brand_id = ${brand} and s.state = 'live' and ${segmentSql(filter, { brand, binds, now, reach })}`
}
