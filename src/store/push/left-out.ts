import { EVERYTHING, TRANSACTIONAL } from '../../rules/topics.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { localTimeSql } from '../local-time-sql.ts'
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
export async function countLeftOut(
  db: Db,
  { query, topic, ignoresCap, now }: LeftOutQuery,
): Promise<LeftOut> {
  if (topic === TRANSACTIONAL) return NOBODY
  const { rows: settings } = await db.query<{ hasOptOuts: boolean; cap: number | null; zone: string }>(
    `select has_opt_outs as "hasOptOuts", frequency_cap as cap, time_zone as zone from brands where id = $1`,
    [query.brandId],
  )
  const [brand] = settings
  const cap = ignoresCap ? null : (brand?.cap ?? null)
  if (brand === undefined || (!brand.hasOptOuts && cap === null)) return NOBODY
  const binds = new Binds()
  const names = binds.add(topic === null ? [EVERYTHING] : [topic, EVERYTHING])
  const day = `${localTimeSql(`${binds.add(new Date(now))}::timestamptz`, `coalesce(s.time_zone, ${binds.add(brand.zone)})`)}::date`
  const { rows } = await db.query<{ optedOut: number; overCap: number }>(
    `select count(*) filter (where silenced)::integer as "optedOut",
       count(*) filter (where capped and not silenced)::integer as "overCap"
     from (
       select coalesce(s.profile_id, -s.id) as person,
         bool_and(s.opt_outs ?| ${names}::text[] or coalesce((select p.opt_outs ?| ${names}::text[] from profiles as p
           where p.brand_id = s.brand_id and p.id = s.profile_id), false)) as silenced,
         bool_and(exists (select from frequency_days as f where f.brand_id = s.brand_id
           and f.profile_id = coalesce(s.profile_id, -s.id) and f.day = ${day}
           and cardinality(f.notification_ids) >= ${binds.add(cap)}::integer)) as capped
       from subscriptions as s where ${audienceSql(query, binds)} group by 1
     ) as people`,
    binds.values,
  )
  const { optedOut = 0, overCap = 0 } = rows[0] ?? {}
  return { optedOut, overCap: cap === null ? null : overCap, cap }
}

const NOBODY: LeftOut = { optedOut: 0, overCap: null, cap: null }
