import type { Identifiers } from '../../domain/people/identifiers.ts'
import { identifierNamesOf } from '../../domain/people/identity-plan.ts'
import type { OptOuts } from '../../domain/preferences/opt-outs.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { PERSONAL_TABLES } from './personal-tables.ts'

export type PersonQuery = { readonly brandId: number; readonly who: Identifiers }

/** The fields of a profile. */
export type ProfileFacts = {
  readonly email: string | null
  readonly mobile: string | null
  readonly attributes: JsonObject
  readonly tags: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
}

/** A person: the profile and the sums of its events. */
export type Person = ProfileFacts & {
  /** The profile, and profiles that were merged into it and whose events are still being moved. */
  readonly ids: readonly bigint[]
  readonly names: readonly { readonly kind: string; readonly value: string }[]
  readonly optOuts: OptOuts
  /** All committed events, counted to the last one. */
  readonly eventCount: bigint
  readonly ltv: string
  readonly firstEventAt: number | null
  readonly lastEventAt: number | null
}

/**
 * The person with this identity; null when there is none. The counts are those of the pipeline, plus the events in
 * batches that the pipeline has not read yet.
 */
export async function loadPerson(tx: Db, { brandId, who }: PersonQuery): Promise<Person | null> {
  const names = identifierNamesOf(who)
  const { rows } = await tx.query<Person>(
    `with recursive me as (
       select profile_id as id from profile_identities
       where brand_id = $1 and (kind, value) in (select * from unnest($2::text[], $3::text[])) limit 1
     ), mine (id, distance) as (
       select id, 0 from me
       union all
       select absorbed_id, distance + 1 from profile_merges join mine on survivor_id = mine.id
       where brand_id = $1 and state = 'moving'
     ), unread as (
       select b.id from event_batches as b
       left join event_readers as r on r.brand_id = b.brand_id and r.reader = 'counting'
       where b.brand_id = $1 and (r.brand_id is null or (b.tx, b.id) > (r.tx, r.batch_id))
     ), done as (
       select event_count, ltv, first_event_at, last_event_at from profile_activity
       where brand_id = $1 and profile_id in (select id from mine)
       union all
       select 1, ltv, event_at, event_at from events
       where brand_id = $1 and profile_id in (select id from mine)
         and id >= (select min(id) from unread) and (id >> 10 << 10) in (select id from unread)
     )
     select (select jsonb_agg(id::text order by distance) from mine) as ids, names.names, email, mobile, attributes, tags,
       opt_outs as "optOuts",
       created_at as "createdAt", updated_at as "updatedAt", "eventCount", sums.ltv, "firstEventAt", "lastEventAt"
     from me join profiles on brand_id = $1 and profiles.id = me.id
     cross join (
       select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'value', value) order by kind desc, value), '[]') as names
       from profile_identities join me on profile_id = me.id where brand_id = $1
     ) as names
     cross join (
       select coalesce(sum(event_count), 0)::bigint as "eventCount", coalesce(sum(ltv), 0) as ltv,
         min(first_event_at) as "firstEventAt", max(last_event_at) as "lastEventAt" from done
     ) as sums`,
    [brandId, names.map(({ kind }) => kind), names.map(({ value }) => value)],
  )
  const [person] = rows
  return person === undefined ? null : { ...person, ids: person.ids.map(BigInt) }
}

/** Rows of one table about a person, from a place in their order on. */
export type RecordPage = { readonly table: string; readonly offset: number }

/**
 * A page of the rows that a table has about the person. The columns are as in the table; null for a table whose rows
 * the API has a form for, or that is left out.
 */
export async function loadRecordPage(
  tx: Db,
  { brandId, ids, names }: Pick<Person, 'ids' | 'names'> & { readonly brandId: number },
  { table, offset }: RecordPage,
): Promise<RowPage<JsonObject> | null> {
  const {
    about = null,
    from = table,
    order = '1',
    exact = [],
    isRendered = false,
  } = PERSONAL_TABLES[table] ?? {}
  if (about === null || isRendered) return null
  const digits = exact.map((column) => ` || jsonb_build_object('${column}', t.${column}::text)`)
  const limit = PROFILE_LIMITS.recordsMax
  const { rows, hasMore } = await readPage<{ row: JsonObject }>(tx, {
    text: `select to_jsonb(t) - 'brand_id'${digits.join('')} as row from ${from} as t
     where brand_id = $1 and (${about}) and ($2::bigint[], $3::text[]) is not null
     order by ${order} limit $4 offset $5`,
    values: [brandId, ids, names.map(({ value }) => value), limit, offset],
    limit,
    kind: 'documents',
  })
  return { rows: rows.map(({ row }) => row), hasMore }
}

/** The first page of every table. */
export async function loadRecords(
  tx: Db,
  brandId: number,
  { ids, names }: Pick<Person, 'ids' | 'names'>,
): Promise<Readonly<Record<string, RowPage<JsonObject>>>> {
  const records: Record<string, RowPage<JsonObject>> = {}
  for (const table of Object.keys(PERSONAL_TABLES)) {
    const page = await loadRecordPage(tx, { brandId, ids, names }, { table, offset: 0 })
    if (page !== null) records[table] = page
  }
  return records
}
