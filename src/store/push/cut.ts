import type { Filter } from '../../domain/segments/segment.ts'
import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import { CHUNK_RULES } from '../../rules/push.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { audienceSql } from './audience-sql.ts'
import type { PlannedNotification } from './planning.ts'

export type ZonesQuery = PlannedNotification & { readonly filter: Filter | null }

/** The zones of the audience. A subscription without a zone has the brand's. */
export async function loadZones(tx: Db, query: ZonesQuery): Promise<readonly string[]> {
  const binds = new Binds()
  const zone = `coalesce(s.time_zone, ${binds.add(query.brandZone)})`
  const { rows } = await tx.query<{ zone: string }>(
    `select distinct ${zone} as zone from subscriptions as s where ${membersSql(query, binds)}`,
    binds.values,
  )
  return rows.map((row) => row.zone)
}

export type Cut = ZonesQuery & {
  readonly now: number
  /** The zones to cut now, and when to look for more; null when the whole audience is cut at once. */
  readonly step: {
    readonly due: readonly { readonly zone: string; readonly at: number }[]
    readonly nextAt: number | null
  } | null
  /** The recipients themselves, if they were looked up before: each list at its own instant. Then the cut reads no audience. */
  readonly listed?: readonly DueList[]
}

export type DueList = { readonly at: number; readonly ids: readonly bigint[] }

/**
 * Cuts an audience into chunks, in one statement, and moves the notification on. A chunk is a range of ids, so that a
 * million recipients are a thousand rows; a push to one subscriber lists its devices. A throttle spreads the chunks in
 * time.
 */
export async function cutChunks(tx: Db, cut: Cut): Promise<void> {
  const binds = new Binds()
  const brand = binds.add(cut.brandId)
  const id = binds.add(cut.id)
  const platform = binds.add(cut.platform)
  const now = `${binds.add(new Date(cut.now))}::timestamptz`
  const nextAt = `${binds.add(instant(cut.step?.nextAt ?? null))}::timestamptz`
  const perSecond = `${binds.add(cut.perSecond)}::float8`
  const sendAt = `${binds.add(new Date(cut.sendAt))}::timestamptz`
  const handOver = `${binds.add(cut.handOverSeconds)} * interval '1 second'`
  await tx.query(
    `with recursive ${partsSql(cut, binds)}, begun as (
       select part.*, greatest(${now}, due_at) as begins_at from part
     ), laid as (
       select begun.*, sum(size) over () as total,
         coalesce((sum(size) over (partition by begins_at order by zone, first_id) - size) / ${perSecond}, 0)
           * interval '1 second' as delay
       from begun
     ), added as (
       insert into chunks (brand_id, platform, notification_id, first_id, last_id, subscription_ids, zone, remaining,
         is_bulk, ready_at, expires_at)
       select ${brand}, ${platform}, ${id}, first_id, last_id, ids, zone, size, total > ${CHUNK_RULES.smallMax},
         begins_at + delay, coalesce(due_at, ${sendAt}) + delay + ${handOver}
       from laid
     ), sized as (
       select coalesce(sum(size), 0)::integer as added from part
     )
     update notifications set audience = ${AUDIENCE}, pending = ${PENDING},
       plan_at = ${nextAt}, reason = nullif(reason, '${OLD_EVENTS_REASON}'), zones_until = case when wall is not null then ${now} end,
       state = case when ${nextAt} is null and ${PENDING} = 0 and state in ('scheduled', 'queued', 'sending') then 'sent'
         when state = 'scheduled' then 'queued' else state end,
       finished_at = case when ${nextAt} is null and ${PENDING} = 0 then clock_timestamp() end
     from sized where brand_id = ${brand} and id = ${id}`,
    binds.values,
  )
}

/** Without zones the count replaces the one that was made at acceptance; with zones each step adds its own. */
const AUDIENCE = 'case when wall is null then 0 else coalesce(audience, 0) end + sized.added'
const PENDING = '(case when wall is null then 0 else pending end + sized.added)'

function instant(at: number | null): Date | null {
  return at === null ? null : new Date(at)
}

/** The parts of the audience: zone, first_id, last_id, size, ids, and due_at, the instant of the zone. */
function partsSql(cut: Cut, binds: Binds): string {
  if (cut.listed !== undefined) return listedSql(cut, cut.listed, binds)
  const isSimple = cut.step === null && cut.mode === 'all' && cut.tag === null && cut.campaignId === null
  return isSimple ? steppedSql(cut, binds) : gatheredSql(cut, binds)
}

/** Recipients that were looked up before. A chunk has its recipients as a slice of the array of all. */
function listedSql(cut: Cut, lists: readonly DueList[], binds: Binds): string {
  const slices: { readonly first: number; readonly last: number; readonly at: Date }[] = []
  let before = 0
  for (const { at, ids } of lists) {
    for (let first = 0; first < ids.length; first += sizeOf(cut)) {
      const last = Math.min(first + sizeOf(cut), ids.length)
      slices.push({ first: before + first + 1, last: before + last, at: new Date(at) })
    }
    before += ids.length
  }
  const all = `${binds.add(lists.flatMap(({ ids }) => ids))}::bigint[]`
  return `part as (
      select null::text as zone, (${all})[first] as first_id, (${all})[last] as last_id, last - first + 1 as size,
        (${all})[first:last] as ids, due_at
      from unnest(${binds.add(slices.map(({ first }) => first))}::integer[],
        ${binds.add(slices.map(({ last }) => last))}::integer[],
        ${binds.add(slices.map(({ at }) => at))}::timestamptz[]) as slice (first, last, due_at)
    )`
}

/** Everybody: steps through the index one chunk at a time, which is four times as fast as numbering the rows. */
function steppedSql(cut: Cut, binds: Binds): string {
  const max = sizeOf(cut)
  return `stepped (first_id, last_id, size) as (
      select 0::bigint, 0::bigint, ${max}::bigint
      union all
      select next.* from stepped cross join lateral (
        select min(id), max(id), count(*) from (
          select s.id from subscriptions as s
          where ${membersSql(cut, binds)} and s.id > stepped.last_id order by s.id limit ${max}
        ) as piece
      ) as next (first_id, last_id, size)
      where stepped.size = ${max} and next.size > 0
    ), part as (
      select null::text as zone, first_id, last_id, size, null::bigint[] as ids, null::timestamptz as due_at
      from stepped where first_id > 0
    )`
}

/** A filtered audience: the members are found first and then numbered. */
function gatheredSql(cut: Cut, binds: Binds): string {
  const max = sizeOf(cut)
  const ids = cut.mode === 'send' ? 'array_agg(id order by id)' : 'null::bigint[]'
  const zone = cut.step === null ? 'null::text' : 'due.zone'
  return `member as (
      select s.id, ${zone} as zone, ${cut.step === null ? 'null::timestamptz' : 'due.at'} as due_at,
        row_number() over (partition by ${zone} order by s.id) as place
      from subscriptions as s ${dueSql(cut, binds)} where ${membersSql(cut, binds)}
    ), part as (
      select zone, min(id) as first_id, max(id) as last_id, count(*) as size, ${ids} as ids, due_at
      from member group by zone, due_at, (place - 1) / ${max}
    )`
}

function dueSql({ step, brandZone }: Cut, binds: Binds): string {
  if (step === null) return ''
  const zones = binds.add(step.due.map(({ zone }) => zone))
  const moments = binds.add(step.due.map(({ at }) => new Date(at)))
  return `join unnest(${zones}::text[], ${moments}::timestamptz[]) as due (zone, at)
    on due.zone = coalesce(s.time_zone, ${binds.add(brandZone)})`
}

/** A throttled chunk is worth a few seconds, because its worker sends it at the pace of the throttle. */
function sizeOf({ perSecond }: Cut): number {
  const { recipientsMax, throttledSeconds } = CHUNK_RULES
  if (perSecond === null) return recipientsMax
  return Math.max(1, Math.min(recipientsMax, Math.floor(perSecond * throttledSeconds)))
}

function membersSql(query: ZonesQuery, binds: Binds): string {
  const members = audienceSql({ ...query, narrowing: query }, binds)
  if (query.mode !== 'send') return members
  const of = `brand_id = ${binds.add(query.brandId)} and id = ${binds.add(query.id)}`
  return `${members} and (s.profile_id = (
      select profile_id from notifications where ${of} and subscription_ids is null)
    or s.id = any((select subscription_ids from notifications where ${of})::bigint[]))`
}
