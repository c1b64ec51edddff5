import { EVERYTHING, TRANSACTIONAL } from '../../rules/topics.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { localTimeSql } from '../local-time-sql.ts'
import { type RowPage, readPage } from '../page.ts'
import { SUBSCRIPTION_COLUMNS, type Subscription } from '../subscriptions/subscriptions.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'

/** People of an audience who would get nothing if the message left now. */
export type LeftOut = {
  /** People all of whose devices are silenced, by the person or by the device. */
  readonly optedOut: number
  /** Null when no cap holds for the message. */
  readonly overCap: number | null
  readonly cap: number | null
}

type LeftOutQuery = {
  readonly query: AudienceQuery
  readonly topic: string | null
  readonly ignoresCap: boolean
  readonly now: number
}

/** Counts the people whom preferences and the frequency cap would leave out. Transactional messages pass both. */
export async function countLeftOut(db: Db, asked: LeftOutQuery): Promise<LeftOut> {
  const brand = await loadRules(db, asked)
  if (brand === null) return NOBODY
  const binds = new Binds()
  const { rows } = await db.query<{ optedOut: number; overCap: number }>(
    `select count(*) filter (where ${IS_LEFT_OUT.opted_out})::integer as "optedOut",
       count(*) filter (where ${IS_LEFT_OUT.over_cap})::integer as "overCap"
     from (${judgedSql(asked, brand, binds)}) as person`,
    binds.values,
  )
  const { optedOut = 0, overCap = 0 } = rows[0] ?? {}
  return { optedOut, overCap: brand.cap === null ? null : overCap, cap: brand.cap }
}

/** Why people of an audience get nothing. */
export const LEFT_OUT_KINDS = ['opted_out', 'over_cap'] as const

export type LeftOutKind = (typeof LEFT_OUT_KINDS)[number]

type LeftOutPage = LeftOutQuery & {
  readonly kind: LeftOutKind
  readonly afterId: bigint
  readonly limit: number
}

/** A page of these people: the first of their devices that are in the audience. It takes as long as counting them. */
export async function listLeftOut(tx: Db, page: LeftOutPage): Promise<RowPage<Subscription>> {
  const brand = await loadRules(tx, page)
  if (brand === null || (page.kind === 'over_cap' && brand.cap === null)) return { rows: [], hasMore: false }
  const binds = new Binds()
  const text = `select ${SUBSCRIPTION_COLUMNS}
    from (
      select first_id from (${judgedSql(page, brand, binds)}) as person
      where ${IS_LEFT_OUT[page.kind]} and first_id > ${binds.add(page.afterId)}
      order by first_id limit ${binds.add(page.limit)}
    ) as page cross join lateral (
      select * from subscriptions where brand_id = ${binds.add(page.query.brandId)} and id = page.first_id offset 0
    ) as s order by s.id`
  return readPage(tx, { text, values: binds.values, limit: page.limit, kind: 'rows' })
}

/** A person who is both is counted once, as opted out. */
const IS_LEFT_OUT = {
  opted_out: 'silenced',
  over_cap: 'capped and not silenced',
} as const satisfies Record<LeftOutKind, string>

type BrandRules = { readonly cap: number | null; readonly zone: string }

/** The rules that hold for the message; null when it passes all of them. */
async function loadRules(db: Db, { query, topic, ignoresCap }: LeftOutQuery): Promise<BrandRules | null> {
  if (topic === TRANSACTIONAL) return null
  const { rows } = await db.query<{ hasOptOuts: boolean; cap: number | null; zone: string }>(
    `select has_opt_outs as "hasOptOuts", frequency_cap as cap, time_zone as zone from brands where id = $1`,
    [query.brandId],
  )
  const [brand] = rows
  const cap = ignoresCap ? null : (brand?.cap ?? null)
  return brand === undefined || (!brand.hasOptOuts && cap === null) ? null : { cap, zone: brand.zone }
}

/** The people of an audience, with their first device, and whether all of their devices are silenced or over the cap. */
function judgedSql({ query, topic, now }: LeftOutQuery, { cap, zone }: BrandRules, binds: Binds): string {
  const names = binds.add(topic === null ? [EVERYTHING] : [topic, EVERYTHING])
  const day = `${localTimeSql(`${binds.add(new Date(now))}::timestamptz`, `coalesce(s.time_zone, ${binds.add(zone)})`)}::date`
  return `select coalesce(s.profile_id, -s.id) as person, min(s.id) as first_id,
      bool_and(s.opt_outs ?| ${names}::text[] or coalesce((select p.opt_outs ?| ${names}::text[] from profiles as p
        where p.brand_id = s.brand_id and p.id = s.profile_id), false)) as silenced,
      bool_and(exists (select from frequency_days as f where f.brand_id = s.brand_id
        and f.profile_id = coalesce(s.profile_id, -s.id) and f.day = ${day}
        and cardinality(f.notification_ids) >= ${binds.add(cap)}::integer)) as capped
    from subscriptions as s where ${audienceSql(query, binds)} group by 1`
}

const NOBODY: LeftOut = { optedOut: 0, overCap: null, cap: null }
