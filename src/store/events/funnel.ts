import type { FunnelCell } from '../../domain/events/funnel-answer.ts'
import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, type EventNeed, needing } from '../event-needs.ts'
import { JOIN_SETS } from '../plans.ts'
import { notErasedSql } from './filter.ts'
import { areAboutPeople, type EventPart, keySql, largestSql, personJoinSql } from './parts.ts'

export type FunnelQuery = {
  readonly brandId: number
  /** Event names, in the order that people should do them. */
  readonly steps: readonly string[]
  /** Events that end the way of a person who does one of them between the steps. */
  readonly excluded: readonly string[]
  readonly withinMs: number
  readonly fromAt: number
  readonly toAt: number
  /** The values of a person's first event that make the groups; without any there are no groups. */
  readonly parts: readonly EventPart[]
  readonly groupsMax: number
}

/**
 * How many people reached each step of a funnel. Each person begins at their first start in the range; each step
 * counts at its first occurrence after the step before, all within the given time. Each step reads the events of its
 * name once, from the index: a lookup for each person takes twenty times as long. Run it in a transaction.
 */
export async function loadFunnel(tx: Db, query: FunnelQuery): Promise<readonly FunnelCell[]> {
  const binds = new Binds()
  const tables = [...stepTablesSql(query, binds)]
  const isDivided = query.parts.length > 0
  if (isDivided) tables.push(`largest as (${largestSql('step0', 'count(*)', binds.add(query.groupsMax))})`)
  const counts = query.steps.flatMap((_, step) => [
    `select ${step} as step, null::integer as "group", null::jsonb as key, ${COUNTS}, 0 as groups from step${step} as s`,
    ...(isDivided ? [groupedSql(step)] : []),
  ])
  // People's own attributes are looked up, person by person.
  if (!areAboutPeople(query.parts)) await tx.query(JOIN_SETS)
  const { rows } = await tx.query<FunnelCell>(
    `with ${tables.join(', ')} ${counts.join(' union all ')}`,
    binds.values,
  )
  return rows
}

/** A funnel of which only people after one of them are wanted. */
type FunnelWalk = Omit<FunnelQuery, 'groupsMax'> & { readonly afterId?: bigint | null }

/** The tables of a `with`, one for each step: its people, with the time of their first step and of this one. */
export function stepTablesSql(query: FunnelWalk, binds: Binds): readonly string[] {
  const range: FunnelRange = {
    brand: binds.add(query.brandId),
    from: binds.add(new Date(query.fromAt)),
    to: binds.add(new Date(query.toAt)),
    // The interval is text, because with one step no part of the statement mentions it.
    within: `interval '${Math.trunc(query.withinMs)} milliseconds'`,
  }
  const [first = '', ...others] = query.steps
  needing(binds.values, funnelNeed(query))
  const isEnded = query.excluded.length > 0
  return [
    `step0 as (${startSql(query, { name: binds.add(first), range, binds })})`,
    ...(isEnded ? [`ended as (${endedSql(binds.add(query.excluded), range)})`] : []),
    ...others.map(
      (name, at) => `step${at + 1} as (${stepSql(at, { name: binds.add(name), range, isEnded })})`,
    ),
  ]
}

function funnelNeed({ brandId, steps, excluded, fromAt, toAt, withinMs, parts }: FunnelWalk): EventNeed {
  return {
    ...anyEvents(brandId),
    names: [...steps, ...excluded],
    since: writtenInstant(fromAt),
    until: writtenInstant(toAt + withinMs + 1),
    isBare: parts.length === 0,
  }
}

type FunnelRange = {
  readonly brand: string
  readonly from: string
  readonly to: string
  readonly within: string
}

/** The first start of each person. With parts it is the event itself, because its group is wanted. */
function startSql(
  { parts, afterId = null }: FunnelWalk,
  { name, range, binds }: { readonly name: string; readonly range: FunnelRange; readonly binds: Binds },
): string {
  const { brand, from, to } = range
  const isAfter = afterId === null ? '' : ` and e.profile_id > ${binds.add(afterId)}`
  const where = `e.brand_id = ${brand} and e.event_name = ${name} and e.event_at >= ${from} and e.event_at < ${to}
    and ${notErasedSql(brand)}${isAfter}`
  if (parts.length === 0) {
    return `select e.profile_id, min(e.event_at) as started_at, min(e.event_at) as at from events as e
      where ${where} group by e.profile_id`
  }
  return `select distinct on (e.profile_id) e.profile_id, e.event_at as started_at, e.event_at as at,
      ${keySql(parts, binds)} as key
    from events as e ${personJoinSql(parts)} where ${where} order by e.profile_id, e.event_at, e.id`
}

/** The moment at which the way of a person ends. */
function endedSql(names: string, { brand, from, to, within }: FunnelRange): string {
  return `select e.profile_id, min(e.event_at) as at
    from step0 as s join events as e on e.profile_id = s.profile_id
      and e.event_at > s.started_at and e.event_at <= s.started_at + ${within}
    where e.brand_id = ${brand} and e.event_name = any(${names}) and e.event_at >= ${from}
      and e.event_at < ${to} + ${within}
    group by e.profile_id`
}

/** A step counts at its first occurrence; if the way ended before that, it ended before all others too. */
function stepSql(
  before: number,
  { name, range, isEnded }: { readonly name: string; readonly range: FunnelRange; readonly isEnded: boolean },
): string {
  const { brand, from, to, within } = range
  const step = `select e.profile_id, min(before.started_at) as started_at, min(e.event_at) as at
    from step${before} as before join events as e on e.profile_id = before.profile_id
      and e.event_at > before.at and e.event_at <= before.started_at + ${within}
    where e.brand_id = ${brand} and e.event_name = ${name} and e.event_at >= ${from}
      and e.event_at < ${to} + ${within}
    group by e.profile_id`
  if (!isEnded) return step
  return `select s.* from (${step}) as s left join ended on ended.profile_id = s.profile_id
    where ended.at is null or s.at <= ended.at`
}

const COUNTS = `count(*)::integer as users,
  coalesce(percentile_cont(0.5) within group (order by extract(epoch from s.at - s.started_at)), 0) as seconds`

function groupedSql(step: number): string {
  return `select ${step}, coalesce(largest.place, 0), min(largest.key::text)::jsonb, ${COUNTS},
      coalesce((select max(groups) from largest), 0)
    from step${step} as s join step0 as f on f.profile_id = s.profile_id left join largest on largest.key = f.key
    group by 2`
}
