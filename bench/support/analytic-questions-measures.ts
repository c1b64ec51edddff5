import type { AnalyticQuestion, AskedTime } from './analytic-question.ts'
import { type MeasureRow, measuredQuestion } from './analytic-questions-measured.ts'

/** A zone with summer time. Plain DuckDB is set to it, so that it cuts the days and weeks of an instant there. */
export const ZONE = 'Europe/Oslo'

/** A question has a thousand spans at most. */
const HOURS_DAYS = 40
const COMPARED_DAYS = 28

/** The questions of `/api/v1/events/query`: each measure, span, filter and kind of break-down. */
export function measureQuestions(time: AskedTime): readonly AnalyticQuestion[] {
  const measured = (row: MeasureRow): AnalyticQuestion => measuredQuestion(time, row)
  return [
    measured({
      name: 'trend by day',
      isCommon: true,
      ask: {},
      sql: ({ events }) =>
        `select epoch_ms(date_trunc('day', event_at)) as day, count(*) ${events} group by day`,
    }),
    measured({
      name: 'one event by attribute',
      isCommon: true,
      ask: { eventName: 'event_2', parts: [{ kind: 'attribute', name: 'sku' }] },
      sql: ({ events }) => `
        with counted as (
          select epoch_ms(date_trunc('day', event_at)) as day, sku, count(*) as n
          ${events} and event_name = 'event_2' group by all
        ), top as (select sku from counted group by sku order by sum(n) desc, sku limit 10)
        select day, case when sku in (from top) then sku else '(rest)' end as shown, sum(n) from counted group by all`,
    }),
    measured({
      name: `trend by hour in ${ZONE}`,
      every: 'hour',
      zone: ZONE,
      daysBack: HOURS_DAYS,
      ask: {},
      sql: ({ events }) =>
        `select epoch_ms(date_trunc('hour', event_at)) as hour, count(*) ${events} group by hour`,
    }),
    measured({
      name: `trend by week in ${ZONE}`,
      every: 'week',
      zone: ZONE,
      ask: {},
      sql: ({ events }) => `
        with hours as (select date_trunc('hour', event_at) as hour, count(*) as n ${events} group by hour)
        select epoch_ms(date_trunc('week', hour at time zone 'UTC')) as week, sum(n) from hours group by week`,
    }),
    measured({
      name: 'people by day',
      ask: { measure: 'people' },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, count(distinct profile_id)
        ${events} group by grouping sets ((), (day))`,
    }),
    measured({
      name: 'people by day beside the period before',
      daysBack: COMPARED_DAYS,
      isCompared: true,
      ask: { measure: 'people' },
      sql: ({ events, presentAt }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, event_at < ${presentAt} as is_before, count(distinct profile_id)
        ${events} group by grouping sets ((is_before), (is_before, day))`,
    }),
    measured({
      name: 'average of a number by day',
      ask: { measure: 'average', attribute: 'total' },
      sql: ({ events }) => `
        with days as (
          select epoch_ms(date_trunc('day', event_at)) as day, sum(total) as total, count(total) as n ${events} group by day
        )
        select day, sum(total) / sum(n) from days group by grouping sets ((), (day))`,
    }),
    measured({
      name: 'sum of a number by day, with a condition',
      ask: {
        measure: 'sum',
        attribute: 'total',
        where: [
          { kind: 'attribute', attribute: 'gift', comparison: { kind: 'equality', is: 'eq', value: true } },
        ],
      },
      sql: ({ events }) =>
        `select epoch_ms(date_trunc('day', event_at)) as day, sum(total) ${events} and gift group by day`,
    }),
    measured({
      name: `sum of ltv by week in ${ZONE}`,
      every: 'week',
      zone: ZONE,
      ask: { measure: 'sum' },
      sql: ({ events }) => `
        with hours as (select date_trunc('hour', event_at) as hour, sum(ltv) as ltv ${events} group by hour)
        select epoch_ms(date_trunc('week', hour at time zone 'UTC')) as week, sum(ltv) from hours group by week`,
    }),
    measured({
      name: 'count by day, with conditions on a number and a text',
      ask: {
        where: [
          { kind: 'attribute', attribute: 'total', comparison: { kind: 'order', is: 'gt', value: 50 } },
          {
            kind: 'attribute',
            attribute: 'sku',
            comparison: { kind: 'choice', values: ['sku-1', 'sku-5', 'sku-9'] },
          },
        ],
      },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, count(*)
        ${events} and total > 50 and sku in ('sku-1', 'sku-5', 'sku-9') group by day`,
    }),
    measured({
      name: 'percentile of a number of one event',
      ask: { measure: 'percentile', attribute: 'total', eventName: 'event_0' },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, quantile_cont(total::double, 0.9)
        ${events} and event_name = 'event_0' group by grouping sets ((), (day))`,
    }),
    measured({
      name: 'percentile of ltv by day',
      ask: { measure: 'percentile' },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, quantile_cont(ltv::double, 0.9)
        ${events} group by grouping sets ((), (day))`,
    }),
    measured({
      name: 'count by two parts',
      ask: { parts: [{ kind: 'event' }, { kind: 'attribute', name: 'sku' }] },
      sql: ({ events }) => `
        with counted as (
          select epoch_ms(date_trunc('day', event_at)) as day, event_name, sku, count(*) as n ${events} group by all
        ), top as (
          select event_name, sku, true as is_top from counted group by all order by sum(n) desc, event_name, sku limit 10
        )
        select day, if(is_top, event_name, '(rest)') as a, if(is_top, sku, '(rest)') as b, sum(n)
        from counted left join top using (event_name, sku) group by all`,
    }),
    measured({
      name: 'count by three parts',
      ask: {
        parts: [{ kind: 'event' }, { kind: 'attribute', name: 'sku' }, { kind: 'attribute', name: 'gift' }],
      },
      sql: ({ events }) => `
        with counted as (
          select epoch_ms(date_trunc('day', event_at)) as day, event_name, sku, gift, count(*) as n ${events} group by all
        ), top as (
          select event_name, sku, gift, true as is_top from counted group by all order by sum(n) desc, event_name, sku, gift limit 10
        )
        select day, if(is_top, event_name, '(rest)') as a, if(is_top, sku, '(rest)') as b,
          if(is_top, gift::varchar, '(rest)') as c, sum(n)
        from counted left join top using (event_name, sku, gift) group by all`,
    }),
    measured({
      name: 'people by two parts',
      ask: { measure: 'people', parts: [{ kind: 'event' }, { kind: 'attribute', name: 'sku' }] },
      sql: ({ events }) => `
        with top as (
          select event_name, sku, true as is_top ${events} group by event_name, sku
          order by count(distinct profile_id) desc, event_name, sku limit 10
        ), placed as (
          select epoch_ms(date_trunc('day', event_at)) as day, if(is_top, event_name, '(rest)') as a,
            if(is_top, sku, '(rest)') as b, profile_id
          from (select event_at, event_name, sku, profile_id ${events}) left join top using (event_name, sku)
        )
        select day, a, b, count(distinct profile_id) from placed group by grouping sets ((), (day), (a, b), (a, b, day))`,
    }),
    measured({
      name: 'sum of a number by an attribute of ten thousand values',
      ask: { measure: 'sum', attribute: null, parts: [{ kind: 'attribute', name: 'total' }] },
      sql: ({ events }) => `
        with counted as (
          select epoch_ms(date_trunc('day', event_at)) as day, total, sum(ltv) as ltv ${events} group by all
        ), top as (select total from counted group by total order by sum(ltv) desc, total limit 10)
        select day, if(total in (from top), total::double::varchar, '(rest)') as shown, sum(ltv) from counted group by all`,
    }),
    measured({
      name: 'count by a part of the context',
      ask: { parts: [{ kind: 'context', path: ['os', 'name'] }] },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, context ->> '$.os.name' as os, count(*) ${events} group by all`,
    }),
    measured({
      name: "count by an attribute of the event's person",
      ask: { parts: [{ kind: 'person', name: 'city' }] },
      sql: ({ events }) => `
        with counted as (
          select epoch_ms(date_trunc('day', event_at)) as day, coalesce(city, '(none)') as city, count(*) as n
          from (select event_at, profile_id ${events}) left join people on id = profile_id group by all
        ), top as (select city from counted group by city order by sum(n) desc, city = '(none)' desc, city limit 10)
        select day, if(city in (from top), city, '(rest)') as shown, sum(n) from counted group by all`,
    }),
    measured({
      name: 'people by an attribute of theirs',
      ask: { measure: 'people', parts: [{ kind: 'person', name: 'plan' }] },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, plan, count(distinct profile_id)
        from (select event_at, profile_id ${events}) left join people on id = profile_id
        group by grouping sets ((), (day), (plan), (plan, day))`,
    }),
    measured({
      name: 'trend of people with an attribute',
      ask: { people: PRO },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, count(*)
        ${events} and profile_id in (select id from people where plan = 'pro') group by day`,
    }),
    measured({
      name: 'people with an attribute by attribute of one event',
      ask: {
        measure: 'people',
        eventName: 'event_2',
        people: PRO,
        parts: [{ kind: 'attribute', name: 'gift' }],
      },
      sql: ({ events }) => `
        select epoch_ms(date_trunc('day', event_at)) as day, gift, count(distinct profile_id)
        ${events} and event_name = 'event_2' and profile_id in (select id from people where plan = 'pro')
        group by grouping sets ((), (day), (gift), (gift, day))`,
    }),
  ]
}

const PRO = {
  kind: 'attribute',
  attribute: 'plan',
  comparison: { kind: 'equality', is: 'eq', value: 'pro' },
} as const
