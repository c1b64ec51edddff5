import { SERIES_LIMITS } from '../../rules/series.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/** Hashes that are kept of an hour. An estimate from 256 of them is off by 6 percent on average. */
const HASHES_MAX = 256

/**
 * Adds people of brand $1 to the estimates of their hours. `from` has rows with profile_id and quarter, and `moments` are
 * the rows of `momentsSql`. Only hashes below the last one of a full hour are sorted, which soon are very few.
 */
export function addActiveHoursSql(from: string, moments: string): string {
  return `insert into active_hours as a (brand_id, starts_at, hashes)
    select $1, hour, (array_agg(hash order by hash))[1:${HASHES_MAX}] from (
      select distinct m.hour, person.hash
      from (select quarter, hashint8extended(profile_id, 0) as hash from ${from}) as person
      join ${moments} as m on m.quarter = person.quarter and (m.last_hash is null or person.hash < m.last_hash)
    ) as seen
    group by hour order by hour
    on conflict (brand_id, starts_at) do update set hashes = array(
      select distinct hash from unnest(a.hashes || excluded.hashes) as hash order by hash limit ${HASHES_MAX})
    where not a.hashes @> excluded.hashes`
}

/** The last hash of an hour that has as many as are kept, or else null. */
export function lastHashSql(hour: string): string {
  return `(select a.hashes[${HASHES_MAX}] from active_hours as a where a.brand_id = $1 and a.starts_at = ${hour})`
}

export type ActiveHour = { readonly startsAt: number; readonly people: number; readonly isEstimated: boolean }

/**
 * The people of each hour in a range. The hashes are spread evenly over 64 bits, so the place of the last one tells how
 * many there would be in all.
 */
export async function loadActiveHours(
  tx: Db,
  { brandId, fromAt, toAt }: { readonly brandId: number; readonly fromAt: number; readonly toAt: number },
): Promise<readonly ActiveHour[]> {
  const { rows } = await tx.query<ActiveHour>(
    `select starts_at as "startsAt", cardinality(hashes) = ${HASHES_MAX} as "isEstimated",
       case when cardinality(hashes) < ${HASHES_MAX} then cardinality(hashes)
         else round(${HASHES_MAX - 1} / ((hashes[${HASHES_MAX}]::float + 2 ^ 63) / 2 ^ 64)) end::float as people
     from active_hours where brand_id = $1 and starts_at >= $2 and starts_at < $3 order by starts_at`,
    [brandId, new Date(fromAt), new Date(toAt)],
  )
  return rows
}

/** Deletes the hours that are older than series are kept. */
export async function purgeActiveHours(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `delete from active_hours where ctid = any(array(
       select old.at from brands cross join lateral (
         select ctid as at from active_hours where brand_id = brands.id and starts_at < $1 order by starts_at limit $2
       ) as old limit $2))`,
    [new Date(now - SERIES_LIMITS.rowsDays * 86_400_000), rowsMax],
  )
  return count
}
