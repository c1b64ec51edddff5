import { USER_LIST_LIMITS } from '../../rules/people.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { sampleSql } from '../sample.ts'
import { narrowSql, readsEvents, type UserQuery, userSql } from './user-conditions.ts'

const { countMax, checkedByEventsMax, sampleGroups, sampleGroupSize, sampleGroupSizeByEvents } =
  USER_LIST_LIMITS

/**
 * The people that an index finds, among whom all people of the list are; null if no index can, or if it finds too many
 * to check each of them.
 */
export async function findCandidates(tx: Db, query: UserQuery): Promise<readonly bigint[] | null> {
  const binds = new Binds()
  const narrow = narrowSql(query, binds)
  if (narrow === null) return null
  const { rows } = await tx.query<{ id: bigint }>(
    `select profile_id as id from (${narrow}) as found limit ${binds.add(countMax + 1)}`,
    binds.values,
  )
  return rows.length > countMax ? null : [...new Set(rows.map(({ id }) => id))]
}

export type UserCount = { readonly count: number; readonly isEstimated: boolean }

/**
 * The number of people of a list: exact if at most `countMax` people have to be checked for it, else estimated from
 * people who are evenly spread over the ids. Run it in a transaction of the engine.
 */
export async function countUsers(tx: Db, query: UserQuery): Promise<UserCount> {
  const candidates = (await findCandidates(tx, query)) ?? (await findEverybody(tx, query.brandId))
  if (candidates === null) return estimateUsers(tx, query)
  const checkedMax = readsEvents(query.filter) ? checkedByEventsMax : countMax
  const step = Math.ceil(candidates.length / checkedMax)
  if (step <= 1) return { count: await countAmong(tx, query, candidates), isEstimated: false }
  const sample = candidates.filter((_, at) => at % step === 0)
  const found = await countAmong(tx, query, sample)
  return { count: Math.round((found * candidates.length) / sample.length), isEstimated: true }
}

/** The ids of all people of a brand; null if there are too many. */
async function findEverybody(tx: Db, brandId: number): Promise<readonly bigint[] | null> {
  const { rows } = await tx.query<{ id: bigint }>(
    'select id from profiles where brand_id = $1 order by id limit $2',
    [brandId, countMax + 1],
  )
  return rows.length > countMax ? null : rows.map(({ id }) => id)
}

async function countAmong(tx: Db, query: UserQuery, ids: readonly bigint[]): Promise<number> {
  const binds = new Binds()
  const among = `p.id = any(${binds.add(ids)}::bigint[])`
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::integer as count from profiles as p where ${among} and ${userSql(query, binds)}`,
    binds.values,
  )
  return rows[0]?.count ?? 0
}

/** From people who are evenly spread over the brand. */
async function estimateUsers(tx: Db, query: UserQuery): Promise<UserCount> {
  const binds = new Binds()
  const sample = sampleSql({
    table: 'profiles',
    columns: 'brand_id, email, mobile',
    brand: binds.add(query.brandId),
    groups: sampleGroups,
    groupSize: readsEvents(query.filter) ? sampleGroupSizeByEvents : sampleGroupSize,
  })
  const { rows } = await tx.query<{ count: number }>(
    `select coalesce(round(sum(p.weight)), 0)::float8 as count from (${sample}) as p where ${userSql(query, binds)}`,
    binds.values,
  )
  return { count: rows[0]?.count ?? 0, isEstimated: true }
}
