import type { JsonObject } from '../../domain/values/json.ts'
import { type IdentityKind, TIMELINE_KINDS, TIMELINE_LIMITS, type TimelineKind } from '../../rules/people.ts'
import { Binds, writtenBefore, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, type EventNeed, needing } from '../event-needs.ts'
import { type RowPage, readPage } from '../page.ts'
import { TIMELINE_SOURCES } from './timeline-sources.ts'

/** One line of a person's time line. `body` has the fields of its kind. */
export type TimelineLine = TimelineMark & { readonly body: JsonObject }

/** The place of a line: its instant in microseconds, then its kind, then its key among those of its kind. */
export type TimelineMark = {
  readonly atMicros: bigint
  readonly kind: TimelineKind
  readonly key: string
}

export type TimelineQuery = {
  readonly brandId: number
  readonly profileIds: readonly bigint[]
  readonly kinds: readonly TimelineKind[]
  readonly from: number | null
  readonly to: number | null
  readonly after: TimelineMark | null
  readonly limit: number
}

/** The profile with this identifier, and profiles that were merged into it and whose events are still being moved. */
export async function findPersonIds(
  tx: Db,
  name: { readonly brandId: number; readonly kind: IdentityKind; readonly value: string },
): Promise<readonly bigint[]> {
  const { rows } = await tx.query<{ id: bigint }>(
    `with recursive mine (id, distance) as (
       select profile_id, 0 from profile_identities where brand_id = $1 and kind = $2 and value = $3
       union all
       select absorbed_id, distance + 1 from profile_merges join mine on survivor_id = mine.id
       where brand_id = $1 and state = 'moving'
     )
     select id from mine order by distance`,
    [name.brandId, name.kind, name.value],
  )
  return rows.map(({ id }) => id)
}

/**
 * A page of a person's time line, newest first. Each kind is read in the order of an index, at most a page of it, and
 * the page is the newest lines of all kinds. Run it in a transaction that looks up rows.
 */
export async function listTimeline(tx: Db, query: TimelineQuery): Promise<RowPage<TimelineLine>> {
  const { brandId, profileIds, limit } = query
  const binds = new Binds()
  const [brand, ids, most] = [binds.add(brandId), binds.add(profileIds), binds.add(limit)]
  const sources = TIMELINE_KINDS.filter((kind) => query.kinds.includes(kind)).map((kind) => {
    const boundSql = (at: string, key: string): string => boundsSql(query, { kind, at, key }, binds)
    const { from, at, key, body } = TIMELINE_SOURCES[kind]({ brand, ids, limit: most, boundSql })
    return `(select ${at} as at, ${TIMELINE_KINDS.indexOf(kind)} as place, ${key} as key, ${body} as body
      ${from} order by 1 desc, 3 desc limit ${most})`
  })
  const kinds = binds.add(TIMELINE_KINDS)
  return readPage(tx, {
    text: `with devices as materialized (
       select * from (
         select * from subscriptions where brand_id = ${brand} and profile_id = any(${ids}::bigint[]) offset 0
       ) as theirs order by theirs.id desc limit ${TIMELINE_LIMITS.devicesMax}
     )
     select (extract(epoch from at) * 1000000)::bigint as "atMicros", (${kinds}::text[])[place + 1] as kind, key, body
     from (${sources.join(' union all ')}) as lines order by at desc, place, key desc limit ${most}::integer`,
    values: query.kinds.includes('event') ? needing(binds.values, eventsOf(query)) : binds.values,
    limit,
    kind: 'rows',
    ...nameOf(query),
  })
}

/** The first page of all kinds, or of one, has a plan that is made once: there are partitions of events to plan for. */
function nameOf({ kinds, from, to, after }: TimelineQuery): { readonly name?: string } {
  if (from !== null || to !== null || after !== null) return {}
  if (kinds.length === TIMELINE_KINDS.length) return { name: 'timeline' }
  return kinds.length === 1 ? { name: `timeline_${kinds[0]}` } : {}
}

/** Which lines of the mark's own instant are on the page, the statement tells by their keys. */
function eventsOf({ brandId, profileIds, from, to, after, limit }: TimelineQuery): EventNeed {
  const atMs = after === null ? null : Number(after.atMicros / 1000n)
  return {
    ...anyEvents(brandId),
    people: profileIds,
    since: from === null ? null : writtenInstant(from),
    until: to === null ? null : writtenBefore(to),
    pick: { kind: 'newest', limit, before: atMs === null ? null : { at: atMs, id: 0n } },
  }
}

type PlaceSql = { readonly kind: TimelineKind; readonly at: string; readonly key: string }

/** The bounds of time, and that a line stands after the last one of the page before. */
function boundsSql({ from, to, after }: TimelineQuery, { kind, at, key }: PlaceSql, binds: Binds): string {
  const bounds = ['true']
  if (from !== null) bounds.push(`${at} >= ${binds.add(new Date(from))}::timestamptz`)
  if (to !== null) bounds.push(`${at} < ${binds.add(new Date(to))}::timestamptz`)
  if (after !== null) {
    const mark = `(timestamptz 'epoch' + ${binds.add(after.atMicros)}::bigint * interval '1 microsecond')`
    const order = TIMELINE_KINDS.indexOf(kind) - TIMELINE_KINDS.indexOf(after.kind)
    bounds.push(`${at} ${order < 0 ? '<' : '<='} ${mark}`)
    if (order === 0) bounds.push(`(${at} < ${mark} or ${key} < ${binds.add(after.key)}::text collate "C")`)
  }
  return bounds.join(' and ')
}
