import type { FunnelCell } from '../../src/domain/events/funnel-answer.ts'
import type { RetentionCell } from '../../src/domain/events/retention-answer.ts'
import { askFunnel, askPaths, askRetention } from '../../src/intake/events/walks.ts'
import { duckInstant } from '../../src/store/event-files/duck-sql.ts'
import type { EventPart } from '../../src/store/events/parts.ts'
import type { AnalyticQuestion, AskedTime } from './analytic-question.ts'
import type { AnswerRow } from './same-answer.ts'

const DAY_MS = 86_400_000

/** Funnels, retentions and paths. */
export function walkQuestions(time: AskedTime): readonly AnalyticQuestion[] {
  const during = `event_at >= ${duckInstant(time.fromAt)} and event_at < ${duckInstant(time.toAt)}`
  return [
    funnel(time, {
      name: 'funnel of three steps',
      isCommon: true,
      ask: {},
      sql: `
        with a as (select profile_id, min(event_at) as t0 from events where event_name = 'event_1' and ${during} group by profile_id),
        ${LATER_STEPS}
        ${STEP_COUNTS}`,
    }),
    funnel(time, {
      name: 'funnel with an exclusion',
      ask: { excluded: ['event_6'] },
      sql: `
        with a as (select profile_id, min(event_at) as t0 from events where event_name = 'event_1' and ${during} group by profile_id),
        gone as (
          select profile_id, min(event_at) as gone_at from events join a using (profile_id)
          where event_name = 'event_6' and event_at > t0 and event_at <= t0 + interval 7 days group by profile_id
        ),
        first_b as (
          select profile_id, any_value(t0) as t0, min(event_at) as t1 from events join a using (profile_id)
          where event_name = 'event_2' and event_at > t0 and event_at <= t0 + interval 7 days group by profile_id
        ),
        b as (select first_b.* from first_b left join gone using (profile_id) where gone_at is null or t1 <= gone_at),
        first_c as (
          select profile_id, any_value(t0) as t0, min(event_at) as t2 from events join b using (profile_id)
          where event_name = 'event_3' and event_at > t1 and event_at <= t0 + interval 7 days group by profile_id
        ),
        c as (select first_c.* from first_c left join gone using (profile_id) where gone_at is null or t2 <= gone_at)
        ${STEP_COUNTS}`,
    }),
    funnel(time, {
      name: 'funnel by attribute',
      ask: { parts: [{ kind: 'attribute', name: 'sku' }] },
      sql: `
        with a as (
          select profile_id, min(event_at) as t0, arg_min(sku, event_at) as part
          from events where event_name = 'event_1' and ${during} group by profile_id
        ),
        ${DIVIDED_STEPS}`,
    }),
    funnel(time, {
      name: 'funnel by an attribute of people',
      ask: { parts: [{ kind: 'person', name: 'city' }] },
      sql: `
        with begun as (
          select profile_id, min(event_at) as t0 from events where event_name = 'event_1' and ${during} group by profile_id
        ),
        a as (select profile_id, t0, coalesce(city, '(none)') as part from begun left join people on id = profile_id),
        ${DIVIDED_STEPS}`,
    }),
    retention(time, {
      name: 'weekly retention',
      isCommon: true,
      ask: {},
      sql: `
        with a as (
          select profile_id, min(date_trunc('week', event_at)) as cohort
          from events where event_name = 'event_1' and ${during} group by profile_id
        ),
        ${BACK}
        ${COHORTS}`,
    }),
    retention(time, {
      name: 'weekly retention by attribute',
      ask: { parts: [{ kind: 'attribute', name: 'sku' }] },
      sql: `
        with a as (
          select profile_id, date_trunc('week', min(event_at)) as cohort, arg_min(sku, event_at) as part
          from events where event_name = 'event_1' and ${during} group by profile_id
        ),
        ${BACK}, ${DIVIDED_COHORTS}`,
    }),
    retention(time, {
      name: 'weekly retention by an attribute of people',
      ask: { parts: [{ kind: 'person', name: 'plan' }] },
      sql: `
        with begun as (
          select profile_id, min(date_trunc('week', event_at)) as cohort
          from events where event_name = 'event_1' and ${during} group by profile_id
        ),
        a as (select profile_id, cohort, coalesce(plan, '(none)') as part from begun left join people on id = profile_id),
        ${BACK}, ${DIVIDED_COHORTS}`,
    }),
    {
      name: 'paths after an event',
      isCommon: false,
      ask: async (deps, { brandId, signal }) => {
        const asked = { brandId, startEvent: 'event_4', depth: 3, withinMs: DAY_MS, ...time, pathsMax: 10 }
        const { shown } = await askPaths(deps, asked, { signal, tell: null })
        return shown.map(({ events, users }) => [events, users])
      },
      sql: `
        with a as (select profile_id, min(event_at) as t0 from events where event_name = 'event_4' and ${during} group by profile_id),
        later as (
          select profile_id, event_name, row_number() over (partition by profile_id order by event_at, events.id) as place
          from events join a using (profile_id)
          where event_at > t0 and event_at <= t0 + interval 1 day qualify place <= 3
        ),
        walked as (select profile_id, list(event_name order by place) as path from later group by profile_id)
        select coalesce(path, []) as path, count(*) from a left join walked using (profile_id)
        group by all order by 2 desc, path limit 10`,
    },
  ]
}

/** The people of the second and the third step, after those of the first in `a`. */
const LATER_STEPS = `
  b as (
    select profile_id, any_value(t0) as t0, min(event_at) as t1 from events join a using (profile_id)
    where event_name = 'event_2' and event_at > t0 and event_at <= t0 + interval 7 days group by profile_id
  ),
  c as (
    select profile_id, any_value(t0) as t0, min(event_at) as t2 from events join b using (profile_id)
    where event_name = 'event_3' and event_at > t1 and event_at <= t0 + interval 7 days group by profile_id
  )`

const STEP_COUNTS = `
  select 0 as step, null as part, count(*), 0 from a
  union all select 1, null, count(*), quantile_cont(epoch_ms(t1) - epoch_ms(t0), 0.5) / 1000 from b
  union all select 2, null, count(*), quantile_cont(epoch_ms(t2) - epoch_ms(t0), 0.5) / 1000 from c`

const TOP = `top as (select part, true as is_top from a group by part order by count(*) desc, part = '(none)' desc, part limit 10),
  placed as (select profile_id, if(is_top, part, '(rest)') as part from a left join top using (part))`

/** The same with the groups of the first step. */
const DIVIDED_STEPS = `${LATER_STEPS}, ${TOP}
  ${STEP_COUNTS}
  union all select 0, part, count(*), 0 from placed group by part
  union all select 1, part, count(*), quantile_cont(epoch_ms(t1) - epoch_ms(t0), 0.5) / 1000 from b join placed using (profile_id) group by part
  union all select 2, part, count(*), quantile_cont(epoch_ms(t2) - epoch_ms(t0), 0.5) / 1000 from c join placed using (profile_id) group by part`

/** The events by which people came back, after the people who began in `a`. */
const BACK = `
  back as (
    select profile_id, cohort, date_diff('week', cohort, event_at) as period from events join a using (profile_id)
    where event_name = 'event_2' and event_at >= cohort + interval 7 days and event_at < cohort + interval 56 days
  )`

const COHORTS = `
  select strftime(cohort, '%Y-%m-%d'), 0 as period, null as part, count(*) from a group by cohort
  union all select strftime(cohort, '%Y-%m-%d'), period, null, count(distinct profile_id) from back group by cohort, period`

const DIVIDED_COHORTS = `${TOP}
  ${COHORTS}
  union all select null, 0, part, count(*) from placed group by part
  union all select null, period, part, count(distinct profile_id) from back join placed using (profile_id) group by period, part`

type WalkRow<Change> = {
  readonly name: string
  readonly isCommon?: boolean
  readonly ask: Change
  readonly sql: string
}

type FunnelChange = { readonly excluded?: readonly string[]; readonly parts?: readonly EventPart[] }

function funnel(
  time: AskedTime,
  { name, isCommon = false, ask, sql }: WalkRow<FunnelChange>,
): AnalyticQuestion {
  const asked = { excluded: [], parts: [], ...ask, steps: ['event_1', 'event_2', 'event_3'], groupsMax: 10 }
  return {
    name,
    isCommon,
    sql,
    ask: async (deps, { brandId, signal }) => {
      const query = { ...asked, brandId, withinMs: 7 * DAY_MS, ...time }
      return funnelRows(await askFunnel(deps, query, { signal, tell: null }))
    },
  }
}

function funnelRows(cells: readonly FunnelCell[]): readonly AnswerRow[] {
  return cells.map((cell) => [cell.step, partOf(cell), cell.users, cell.seconds])
}

type RetentionChange = { readonly parts?: readonly EventPart[] }

function retention(
  time: AskedTime,
  { name, isCommon = false, ask, sql }: WalkRow<RetentionChange>,
): AnalyticQuestion {
  const { parts } = ask
  const today = new Date(time.toAt).toISOString().slice(0, 10)
  const division = parts === undefined ? null : { parts, groupsMax: 10, today }
  const asked = { startEvent: 'event_1', returnEvent: 'event_2', unit: 'week', periods: 8 } as const
  return {
    name,
    isCommon,
    sql,
    ask: async (deps, { brandId, signal }) => {
      const query = { ...asked, brandId, timeZone: 'UTC', ...time, division }
      return retentionRows(await askRetention(deps, query, { signal, tell: null }))
    },
  }
}

/** Those who began are told by the last period that they could have come back in. */
function retentionRows(cells: readonly RetentionCell[]): readonly AnswerRow[] {
  const cohorts = cells.filter(({ group }) => group === null)
  const back = cells.filter(({ group, period }) => group !== null && period !== null)
  const begun = Map.groupBy(
    cells.filter(({ group, period }) => group !== null && period === null),
    partOf,
  )
  return [
    ...cohorts.map(({ cohort, period, users }) => [cohort, period, null, users]),
    ...[...begun].map(([part, own]) => [null, 0, part, own.reduce((sum, { users }) => sum + users, 0n)]),
    // Only a cell of those who began has the key of its group.
    ...back.map((cell) => [null, cell.period, nameOf(cell.group, cells), cell.users]),
  ]
}

function nameOf(group: number | null, cells: readonly RetentionCell[]): unknown {
  const cell = cells.find((one) => one.group === group && one.period === null)
  return cell === undefined ? null : partOf(cell)
}

function partOf({ group, key }: Pick<FunnelCell, 'group' | 'key'>): unknown {
  if (group === null) return null
  return group === 0 ? '(rest)' : (key?.[0] ?? '(none)')
}
