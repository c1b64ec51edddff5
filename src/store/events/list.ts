import type { AttributeCondition } from '../../domain/segments/segment.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, type EventNeed, type EventPick, needing } from '../event-needs.ts'
import { type RowPage, readPage } from '../page.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import { STEP_ALONG_INDEX } from '../plans.ts'
import { attributeSql } from '../segments/attribute-sql.ts'
import { type EventFilter, type EventPeople, filterNeed, filterSql, ofPeopleSql } from './filter.ts'
import { type EventPart, keySql, personJoinSql } from './parts.ts'

export type EventRow = {
  readonly id: bigint
  readonly userId: string | null
  readonly name: string
  readonly at: number
  readonly ltv: string
  readonly attributes: JsonObject
  readonly context: JsonObject | null
  readonly eventId: string | null
  readonly isBeforeCreation: boolean
}

/** A row with its mistyped values, if the list is of events with such values. */
export type ListedEvent = EventRow & { readonly mistyped?: JsonObject | null }

/** A position in a list: the last event of the page before. */
export type EventMark = { readonly at: number; readonly id: bigint }

/** The columns of a row, of events under the name `e`. */
export const EVENT_COLUMNS = `e.id, (${userIdSql('e.brand_id', 'e.profile_id')}) as "userId",
  e.event_name as name, e.event_at as at, e.ltv, e.attributes, e.context, e.event_id as "eventId",
  e.is_before_creation as "isBeforeCreation"`

/** The rows behind a number: events of some groups of a question, of the people of a segment, or with such attributes. Null: of all. */
export type EventRowFilter = EventFilter & {
  readonly groups: EventGroups | null
  readonly people: Omit<EventPeople, 'brandId'> | null
  /** Conditions on attributes of the event, and the moment that they are about. */
  readonly where: readonly AttributeCondition[]
  /** An attribute of which the event has a mistyped value. */
  readonly mistyped: string | null
  readonly now: number
}

/** Groups, as `keySql` makes them: the parts that events are divided by, and for each group the JSON list of their values. */
export type EventGroups = {
  readonly parts: readonly EventPart[]
  readonly keys: readonly string[]
  /** Whether an event is in one of the groups; otherwise it is in none of them. */
  readonly isOneOf: boolean
}

/**
 * A page of events. Events of one person or one name come by the time they happened, newest first; events of everybody
 * by the time of receipt, which is the order of the primary key.
 */
export async function listEvents(
  tx: Db,
  filter: EventRowFilter,
  page: { readonly before: EventMark | null; readonly limit: number },
): Promise<RowPage<ListedEvent>> {
  const binds = new Binds()
  const { brandId, groups, people } = filter
  const where = [filterSql(filter, binds)]
  if (groups !== null) where.push(groupsSql(groups, binds))
  if (people !== null) where.push(ofPeopleSql({ brandId, ...people }, binds))
  if (filter.mistyped !== null) where.push(`e.mistyped ? ${binds.add(filter.mistyped)}`)
  const scope = { binds, now: writtenInstant(filter.now) }
  where.push(...filter.where.map((condition) => attributeSql(condition, scope, 'e')))
  const isByTime = !isOfEverybody(filter)
  // PostgreSQL takes mistyped values for rarer than they are where an attribute has the wrong lock, and would sort all.
  if (!isByTime || filter.mistyped !== null) await tx.query(STEP_ALONG_INDEX)
  if (page.before !== null) {
    const id = binds.add(page.before.id)
    where.push(
      isByTime ? `(e.event_at, e.id) < (${binds.add(new Date(page.before.at))}, ${id})` : `e.id < ${id}`,
    )
  }
  const order = isByTime ? 'e.event_at desc, e.id desc' : 'e.id desc'
  const shown = filter.mistyped === null ? EVENT_COLUMNS : `${EVENT_COLUMNS}, e.mistyped`
  const text = `select ${shown} from events as e ${personJoinSql(groups?.parts ?? [])}
    where ${where.join(' and ')} order by ${order} limit ${binds.add(page.limit)}`
  const values = needing(binds.values, listNeed(filter, page))
  return readPage(tx, { text, values, limit: page.limit, kind: 'rows' })
}

/** The newest events are enough if every condition of the filter is one that the need names too. */
function listNeed(
  filter: EventRowFilter,
  { before, limit }: { readonly before: EventMark | null; readonly limit: number },
): EventNeed {
  const { groups, people, mistyped, where, attribute } = filter
  const need = filterNeed(filter)
  const isPlain =
    groups === null && people === null && mistyped === null && where.length === 0 && attribute === null
  if (!isPlain) return need
  const pick: EventPick = isOfEverybody(filter)
    ? { kind: 'latest', limit, beforeId: before?.id ?? null }
    : { kind: 'newest', limit, before }
  return { ...need, pick }
}

function groupsSql({ parts, keys, isOneOf }: EventGroups, binds: Binds): string {
  const isAmong = `${keySql(parts, binds)} = any(${binds.add(keys)}::jsonb[])`
  return isOneOf ? isAmong : `not ${isAmong}`
}

/** Only events of everybody are a stretch of the primary key; few events of one name may lie among many others. */
function isOfEverybody({ userId, eventName }: EventFilter): boolean {
  return userId === null && eventName === null
}

/** An event with its mistyped values, as the export of the person's own records shows it. */
export type OwnEvent = EventRow & { readonly mistyped: JsonObject | null }

/** A page of a person's events, newest first, under all profiles of that person. */
export async function listOwnEvents(
  tx: Db,
  of: {
    readonly brandId: number
    readonly profileIds: readonly bigint[]
    readonly before: EventMark | null
    readonly limit: number
  },
): Promise<RowPage<OwnEvent>> {
  const { before, limit } = of
  return readPage(tx, {
    text: `select ${EVENT_COLUMNS}, e.mistyped from events as e
     where e.brand_id = $1 and e.profile_id = any($2)
       and ($4::timestamptz is null or (e.event_at, e.id) < ($4, $5::bigint))
     order by e.event_at desc, e.id desc limit $3`,
    values: needing([of.brandId, of.profileIds, limit, before && new Date(before.at), before?.id ?? null], {
      ...anyEvents(of.brandId),
      people: of.profileIds,
      pick: { kind: 'newest', limit, before },
    }),
    limit,
    kind: 'rows',
  })
}

/** The next events of an export, in the order they were received. */
export async function exportEvents(
  tx: Db,
  filter: EventFilter,
  page: { readonly afterId: bigint; readonly limit: number },
): Promise<RowPage<EventRow>> {
  if (isOfEverybody(filter)) await tx.query(STEP_ALONG_INDEX)
  const binds = new Binds()
  const where = `${filterSql(filter, binds)} and e.id > ${binds.add(page.afterId)}`
  const text = `select ${EVENT_COLUMNS} from events as e where ${where} order by e.id limit ${binds.add(page.limit)}`
  const need = filterNeed(filter)
  const values = needing(
    binds.values,
    filter.attribute === null ? { ...need, pick: { kind: 'next', ...page } } : need,
  )
  return readPage(tx, { text, values, limit: page.limit, kind: 'rows' })
}
