import { USER_LIST_LIMITS } from '../../rules/people.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { sampleSql } from '../sample.ts'
import { narrowSql, readsEvents, type UserQuery, userSql } from './user-conditions.ts'

const { countMax, checkedByEventsMax, sampleGroups, sampleGroupSize, costlyGroupSize } = USER_LIST_LIMITS

/**
 * The people that an index finds, among whom all people of the list are; null if no index can, or if it finds too many
 * to check each of them.
 */
export async function findCandidates(tx: Db, query: UserQuery): Promise<readonly bigint[] | null> {
  const binds = new Binds()
  const narrow = narrowSql(query, binds)
  if (narrow === null) return null
  const { rows } = await tx.query<{ ids: readonly string[] | null }>(
    `select case when count(*) <= ${countMax} then coalesce(jsonb_agg(id::text), '[]') end as ids
     from (select profile_id as id from (${narrow}) as found limit ${countMax + 1}) as first_ones`,
    binds.values,
  )
  const { ids = null } = rows[0] ?? {}
  return ids === null ? null : [...new Set(ids)].map(BigInt)
}

export type UserCount = { readonly count: number; readonly isEstimated: boolean }

/**
 * The number of people of a list: exact if at most `countMax` people have to be checked for it, else estimated from
 * people who are evenly spread over the ids. `candidates` are those of `findCandidates`. Run it as the engine.
 */
export async function countUsers(
  tx: Db,
  query: UserQuery,
  candidates: readonly bigint[] | null,
): Promise<UserCount> {
  const population = candidates?.length ?? (await countNarrow(tx, query))
  if (population > countMax) return estimateUsers(tx, query)
  if (query.filter === null) return { count: population, isEstimated: false }
  const checkedMax = readsEvents(query.filter) ? checkedByEventsMax : countMax
  const step = Math.ceil(population / checkedMax)
  if (step <= 1) return { count: await countAmong(tx, query, candidates), isEstimated: false }
  if (candidates === null) return estimateUsers(tx, query)
  const sample = candidates.filter((_, at) => at % step === 0)
  const found = await countAmong(tx, query, sample)
  return { count: Math.round((found * population) / sample.length), isEstimated: true }
}

/** The number of people that a search finds, or of everybody. More than the maximum are not counted. */
async function countNarrow(tx: Db, query: UserQuery): Promise<number> {
  const binds = new Binds()
  const { rows } = await tx.query<{ count: number }>(populationSql(query, binds), binds.values)
  return rows[0]?.count ?? 0
}

/** A person may have several identifiers that are found. */
export function populationSql(query: UserQuery, binds: Binds): string {
  if (query.search === null) {
    return `select count(*)::integer as count from (
      select from profiles where brand_id = ${binds.add(query.brandId)} limit ${countMax + 1}) as first_ones`
  }
  const people = `select profile_id as id from (${narrowSql(query, binds) ?? ''}) as found limit ${countMax + 1}`
  return `with first_ones as materialized (${people})
    select case when (select count(*) from first_ones) > ${countMax} then ${countMax + 1}
      else (select count(distinct id) from first_ones) end::integer as count`
}

/** `ids` is null for everybody. */
async function countAmong(tx: Db, query: UserQuery, ids: readonly bigint[] | null): Promise<number> {
  const binds = new Binds()
  const among = ids === null ? '' : `p.id = any(${binds.add(ids)}::bigint[]) and `
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::integer as count from profiles as p where ${among}${userSql(query, binds)}`,
    binds.values,
  )
  return rows[0]?.count ?? 0
}

/** From people who are evenly spread over the brand. */
async function estimateUsers(tx: Db, query: UserQuery): Promise<UserCount> {
  const binds = new Binds()
  const { rows } = await tx.query<{ count: number }>(estimateSql(query, binds), binds.values)
  return { count: rows[0]?.count ?? 0, isEstimated: true }
}

export function estimateSql(query: UserQuery, binds: Binds): string {
  const isOfAll = query.search === null && query.filter === null
  const sample = sampleSql({
    table: 'profiles',
    columns: isOfAll ? 'brand_id' : 'brand_id, email, mobile',
    brand: binds.add(query.brandId),
    groups: sampleGroups,
    groupSize: isOfAll || isCostly(query) ? costlyGroupSize : sampleGroupSize,
  })
  return `select coalesce(round(sum(p.weight)), 0)::float8 as count from (${sample}) as p where ${userSql(query, binds)}`
}

function isCostly({ search, filter }: UserQuery): boolean {
  return search !== null || readsEvents(filter)
}
