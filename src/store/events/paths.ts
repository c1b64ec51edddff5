import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'
import { filterSql, notErasedSql } from './filter.ts'

export type PathQuery = {
  readonly brandId: number
  /** The event that a path begins after. */
  readonly startEvent: string
  /** The most events of a path. */
  readonly depth: number
  readonly withinMs: number
  readonly fromAt: number
  readonly toAt: number
  readonly pathsMax: number
}

/** The people who did the same events in the same order. Nobody has two paths. */
export type PathRow = { readonly events: readonly string[]; readonly users: number }

/** The most frequent paths, the number of all paths, and the number of people who have one. */
export type Paths = {
  readonly shown: readonly PathRow[]
  readonly paths: number
  readonly users: number
}

/**
 * The next events of each person after their first start in the range, in the order in which they happened. An event of
 * the same instant as the start is not after it. Each person's events are read along the index of their person.
 */
export async function loadPaths(tx: Db, query: PathQuery): Promise<Paths> {
  const { brandId, startEvent: eventName, fromAt, toAt } = query
  const binds = new Binds()
  const where = filterSql({ brandId, userId: null, eventName, fromAt, toAt, attribute: null }, binds)
  const within = `${binds.add(query.withinMs)}::double precision * interval '1 millisecond'`
  const { rows } = await tx.query<PathRow & { readonly paths: number; readonly people: number }>(
    `with started as (
       select e.profile_id, min(e.event_at) as at from events as e where ${where} and ${notErasedSql(binds.add(brandId))}
       group by e.profile_id
     ), walked as (
       select array(
         select e.event_name from events as e
         where e.brand_id = ${binds.add(brandId)} and e.profile_id = started.profile_id and e.event_at > started.at
           and e.event_at <= started.at + ${within}
         order by e.event_at, e.id limit ${binds.add(query.depth)}
       ) as events from started
     ), counted as (
       select events, count(*)::integer as users, (count(*) over ())::integer as paths,
         (sum(count(*)) over ())::integer as people
       from walked group by events
     )
     select events, users, paths, people from counted order by users desc, events limit ${binds.add(query.pathsMax)}`,
    needing(binds.values, {
      ...anyEvents(brandId),
      since: writtenInstant(fromAt),
      until: writtenInstant(toAt + query.withinMs + 1),
      isBare: true,
    }),
  )
  const [first] = rows
  const shown = rows.map(({ events, users }) => ({ events, users }))
  return { shown, paths: first?.paths ?? 0, users: first?.people ?? 0 }
}
