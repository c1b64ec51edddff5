import type { AttributeCondition } from '../domain/segments/segment.ts'

/** The events that a statement reads or changes. Those whose rows are dropped are brought before it runs (decision 0040). */
export type EventNeed = {
  readonly brandId: number
  /** Null for everybody. */
  readonly people: NeededPeople | null
  /** Null for all names. */
  readonly names: readonly string[] | null
  /** Instants in SQL, without parameters: events from the one to the other, both included. Null is without an end. */
  readonly since: string | null
  readonly until: string | null
  /** Conditions on attributes that the statement makes as well: an event that files know to fail one need not come. */
  readonly where: readonly AttributeCondition[]
  readonly pick: EventPick
  /** Whether nobody looks at attributes, context and mistyped values, which are most of an event's bytes. */
  readonly isBare: boolean
  /** `read`: the events are there for the rest of the transaction. `write`: they are rows again, and can be changed. */
  readonly use: 'read' | 'write'
}

/** Profiles, all profiles of one user, or those of the devices with ids from the one to the other. */
export type NeededPeople =
  | readonly bigint[]
  | { readonly userId: string }
  | { readonly firstDevice: bigint; readonly lastDevice: bigint }

/** A place in an order by time. */
type EventPlace = { readonly at: number; readonly id: bigint }

/**
 * How many of these events are enough. More of them never change an answer, because all of them are events of the brand.
 *
 * - `newest`: so many by their time, before a place. All events of the very instant come too.
 * - `latest`: so many by their id, below one.
 * - `next`: so many by their id, above one.
 * - `following`: so many by their time, after a place. All events of the very instant come too.
 * - `each`: so many of each person and name, the newest ones.
 */
export type EventPick =
  | { readonly kind: 'all' }
  | { readonly kind: 'newest'; readonly limit: number; readonly before: EventPlace | null }
  | { readonly kind: 'latest'; readonly limit: number; readonly beforeId: bigint | null }
  | { readonly kind: 'next'; readonly limit: number; readonly afterId: bigint }
  | { readonly kind: 'following'; readonly limit: number; readonly after: EventPlace | null }
  | { readonly kind: 'each'; readonly limit: number }

/** All of the brand's events, to be narrowed. */
export function anyEvents(brandId: number): EventNeed {
  const none = { people: null, names: null, since: null, until: null } as const
  return { brandId, ...none, where: [], pick: { kind: 'all' }, isBare: false, use: 'read' }
}

/**
 * Notes what the statement with these values needs. The note hangs on the list of values, because a statement is put together in
 * many places, and a list of values goes with it wherever it runs.
 */
export function needing<Values extends readonly unknown[]>(values: Values, need: EventNeed): Values {
  NEEDS.set(values, [...needsOf(values), need])
  return values
}

export function needsOf(values: readonly unknown[]): readonly EventNeed[] {
  return NEEDS.get(values) ?? []
}

const NEEDS = new WeakMap<readonly unknown[], readonly EventNeed[]>()
