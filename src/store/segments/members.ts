import { conjunctsOf, type Filter, isCount } from '../../domain/segments/segment.ts'
import type { Platform } from '../../rules/platforms.ts'
import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { SUBSCRIPTION_COLUMNS, type Subscription } from '../subscriptions/subscriptions.ts'
import { type SegmentReach, type SegmentShare, shareSql } from './comparison-sql.ts'
import { segmentSql } from './sql.ts'

export type SegmentQuery = {
  readonly brandId: number
  readonly filter: Filter
  readonly now: number
  readonly reach?: SegmentReach
  readonly share?: SegmentShare | undefined
}

export type PlatformCount = { readonly platform: Platform; readonly count: number }

/** The number of live subscriptions that a filter matches now, by platform, without virtual devices. Run it as the engine. */
export async function countMembers(db: Db, query: SegmentQuery): Promise<readonly PlatformCount[]> {
  const binds = new Binds()
  const { rows } = await db.query<PlatformCount>(
    `select s.platform, count(*)::integer as count from subscriptions as s
     where ${membersSql(query, binds)} group by s.platform order by s.platform`,
    binds.values,
  )
  return rows
}

export function totalOf(counts: readonly PlatformCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

type MemberPage = SegmentQuery & {
  readonly afterId: bigint
  readonly limit: number
  readonly platform?: Platform | undefined
}

/**
 * A page of the live subscriptions that a filter matches now, by id. Run it in a transaction of the engine. Finding all people who did
 * an event takes as long as counting them. So the next subscriptions are checked one by one first: unless the segment
 * is small, the page is among them.
 */
export async function listMembers(tx: Db, page: MemberPage): Promise<RowPage<Subscription>> {
  if (page.reach !== undefined || !isOfDoers(page.filter)) return listReached(tx, page)
  const near = await listReached(tx, { ...page, reach: 'few', lookedAtMax: LOOKED_AT_MAX })
  return near.hasMore ? near : listReached(tx, page)
}

/** Checking these takes about a tenth of a second, when it was in vain. */
const LOOKED_AT_MAX = 10_000

/** Whether only people who did an event can be in the segment. */
function isOfDoers(filter: Filter): boolean {
  return conjunctsOf(filter).some((part) => part.kind === 'event' && !isCount(part.count, 0))
}

type ReachedPage = MemberPage & { readonly lookedAtMax?: number }

async function listReached(tx: Db, page: ReachedPage): Promise<RowPage<Subscription>> {
  const { brandId, afterId, limit, lookedAtMax, platform } = page
  const binds = new Binds()
  const members = membersSql(page, binds)
  const after = binds.add(afterId)
  const ofPlatform = platform === undefined ? '' : ` and s.platform = ${binds.add(platform)}`
  const from =
    lookedAtMax === undefined
      ? 'subscriptions'
      : `(select * from subscriptions where brand_id = ${binds.add(brandId)} and state = 'live' and id > ${after}
          order by id limit ${binds.add(lookedAtMax)})`
  const text = `select ${SUBSCRIPTION_COLUMNS} from ${from} as s
     where ${members}${ofPlatform} and s.id > ${after} order by s.id limit ${binds.add(limit)}`
  return readPage(tx, { text, values: binds.values, limit, kind: 'rows' })
}

function membersSql(query: SegmentQuery, binds: Binds): string {
  const { brandId, filter, reach = 'everybody', share } = query
  const brand = binds.add(brandId)
  const now = writtenInstant(query.now)
  const live = `s.brand_id = ${brand} and s.state = 'live' and not s.is_virtual${shareSql(share, 'coalesce(s.profile_id, s.id)')}`
  return `${live} and ${segmentSql(filter, { brandId, brand, binds, now, reach, share })}`
}
