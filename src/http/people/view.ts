import type { JsonObject } from '../../domain/values/json.ts'
import { IDENTITY_KINDS, PROFILE_LIMITS } from '../../rules/people.ts'
import type { OwnEvent } from '../../store/events/list.ts'
import type { PersonRow } from '../../store/events/people-by-event.ts'
import type { RowPage } from '../../store/page.ts'
import type { Person } from '../../store/people/person.ts'
import type { MergeReport } from '../../store/people/unmerging.ts'
import type { Subscription } from '../../store/subscriptions/subscriptions.ts'
import { EVENT_VIEW, renderEvent } from '../events/view.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull, TEXT_OR_NULL } from '../schema/view.ts'
import { renderSubscription, SUBSCRIPTION_VIEW } from '../subscriptions/view.ts'

/** Everything that is known about one person. */
export type PersonRecord = {
  readonly person: Person
  readonly merges: readonly MergeReport[]
  readonly devices: RowPage<Subscription>
  /** Newest first. */
  readonly events: RowPage<OwnEvent>
  /** The stored rows of other tables, by table. */
  readonly records: Readonly<Record<string, RowPage<JsonObject>>>
}

/** `records` stands last. */
type RenderedPerson = Readonly<Record<string, unknown>> & {
  readonly records: Readonly<Record<string, unknown>>
}

/**
 * A person as `user/userData` shows them. No list shows mistyped values, but `records` has them: they answer a person
 * who asks for their data, and that answer must be complete.
 */
export function renderPerson({ person, merges, devices, events, records }: PersonRecord): RenderedPerson {
  const subscriptions = devices.rows.map(renderSubscription)
  const tables = Object.entries(records).map(([table, { rows }]) => [table, rows])
  return {
    ...renderNames(person),
    email: person.email,
    mobile: person.mobile,
    user_attributes: person.attributes,
    tags: person.tags,
    opt_outs: Object.keys(person.optOuts),
    ltv: person.ltv,
    event_count: person.eventCount,
    first_seen: instantOf(person.firstEventAt ?? person.createdAt),
    last_seen: instantOf(person.lastEventAt ?? person.createdAt),
    created_at: instantOf(person.createdAt),
    updated_at: instantOf(person.updatedAt),
    identities: person.names,
    subscriptions,
    recent_events: events.rows.slice(0, PROFILE_LIMITS.recentEventsMax).map(renderEvent),
    merges: merges.map(renderMerge),
    records: {
      ...Object.fromEntries(tables),
      subscriptions,
      events: events.rows.map(renderOwnEvent),
    },
  }
}

/** An event among a person's records. */
export function renderOwnEvent(event: OwnEvent): object {
  return { ...renderEvent(event), mistyped: event.mistyped }
}

/** A person as lists show them. */
export function renderProfile(row: PersonRow): object {
  return {
    userID: row.userIds[0] ?? null,
    user_ids: row.userIds,
    email: row.email,
    mobile: row.mobile,
    user_attributes: row.attributes,
    tags: row.tags,
    created_at: instantOf(row.createdAt),
    updated_at: instantOf(row.updatedAt),
  }
}

function renderNames({ names }: Person): object {
  const userIds = names.filter(({ kind }) => kind === 'user_id').map(({ value }) => value)
  return { userID: userIds[0] ?? null, user_ids: userIds }
}

function renderMerge(merge: MergeReport): object {
  return {
    merge_id: merge.id,
    state: merge.state,
    merged_at: instantOf(merge.mergedAt),
    undone_at: instantOrNull(merge.undoneAt),
    user_ids: merge.userIds,
  }
}

export const PROFILE_VIEW = Type.Object({
  userID: TEXT_OR_NULL,
  user_ids: Type.Array(Type.String()),
  email: TEXT_OR_NULL,
  mobile: TEXT_OR_NULL,
  user_attributes: Type.Record(Type.String(), Type.Unknown()),
  tags: Type.Array(Type.String()),
  created_at: INSTANT,
  updated_at: INSTANT,
})

export const PERSON_VIEW = Type.Object({
  ...PROFILE_VIEW.properties,
  opt_outs: Type.Array(Type.String(), { description: 'The topics that the person opted out of.' }),
  ltv: Type.String({ description: 'The sum of the ltv of all events.' }),
  event_count: Type.Integer(),
  first_seen: INSTANT,
  last_seen: INSTANT,
  identities: Type.Array(Type.Object({ kind: Type.Enum([...IDENTITY_KINDS]), value: Type.String() }), {
    description: 'Every identifier of this profile.',
  }),
  subscriptions: Type.Array(SUBSCRIPTION_VIEW),
  recent_events: Type.Array(EVENT_VIEW, { description: 'Newest first, at most 100 or 1 MiB.' }),
  merges: Type.Array(
    Type.Object({
      merge_id: Type.Integer(),
      state: Type.Enum(['moving', 'moved', 'undone']),
      merged_at: INSTANT,
      undone_at: INSTANT_OR_NULL,
      user_ids: Type.Array(Type.String()),
    }),
  ),
  records: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown())), {
    description: 'Every stored row about the person, by table, for a data subject request.',
  }),
})

export const VISITOR_VIEW = Type.Object({
  token: Type.String({ description: 'The token that identifies the browser. Store it.' }),
})
