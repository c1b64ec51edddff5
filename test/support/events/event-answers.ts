import * as fc from 'fast-check'
import { querySpans } from '../../../src/domain/events/query-spans.ts'
import type { Filter } from '../../../src/domain/segments/segment.ts'
import type { EventFiles } from '../../../src/intake/event-files/ask-files.ts'
import { askMeasure } from '../../../src/intake/events/measure.ts'
import { askStats } from '../../../src/intake/events/stats.ts'
import { askFunnel, askPaths, askRetention } from '../../../src/intake/events/walks.ts'
import { STATS_GROUPS, type StatsGroup } from '../../../src/rules/events.ts'
import { Binds } from '../../../src/store/bind.ts'
import { loadSweptPeople } from '../../../src/store/campaigns/goal-sweeps.ts'
import { listAttributes, listValues } from '../../../src/store/catalogue/attributes.ts'
import type { Db } from '../../../src/store/db.ts'
import { peopleSql } from '../../../src/store/events/filter.ts'
import { loadFunnel } from '../../../src/store/events/funnel.ts'
import { listFunnelPeople } from '../../../src/store/events/funnel-people.ts'
import {
  type EventMark,
  type EventRowFilter,
  exportEvents,
  type ListedEvent,
  listEvents,
  listOwnEvents,
} from '../../../src/store/events/list.ts'
import { type EventQuestion, measureEvents } from '../../../src/store/events/measuring.ts'
import { loadPaths } from '../../../src/store/events/paths.ts'
import { countPeople, listPeople } from '../../../src/store/events/people-by-event.ts'
import { loadEventsSince } from '../../../src/store/events/person-events.ts'
import { loadRetention } from '../../../src/store/events/retention.ts'
import { loadStats } from '../../../src/store/events/stats.ts'
import { loadTriggers } from '../../../src/store/journeys/explaining.ts'
import { findInFilter } from '../../../src/store/journeys/people.ts'
import type { RowPage } from '../../../src/store/page.ts'
import {
  listTimeline,
  type TimelineLine,
  type TimelineMark,
  type TimelineQuery,
} from '../../../src/store/people/timeline.ts'
import { countMembers } from '../../../src/store/segments/members.ts'
import { ATTRIBUTE_CONDITION } from '../segments/segments.ts'
import { DAY_MS } from './frozen.ts'
import { peopleAnswers } from './people-answers.ts'
import { NOW, PEOPLE, type Side } from './two-brands.ts'

const watch = { signal: new AbortController().signal, tell: null }

const EVERYTHING = { fromAt: 0, toAt: Date.now() + 86_400_000 } as const

export function filterOf(brandId: number, part: Partial<EventRowFilter>): EventRowFilter {
  return {
    brandId,
    userId: null,
    eventName: null,
    ...EVERYTHING,
    attribute: null,
    groups: null,
    people: null,
    where: [],
    mistyped: null,
    now: Date.now(),
    ...part,
  }
}

async function walkList({ db, brandId }: Side, part: Partial<EventRowFilter>): Promise<readonly unknown[]> {
  const found: unknown[] = []
  let before: EventMark | null = null
  for (;;) {
    const page: { readonly before: EventMark | null; readonly limit: number } = { before, limit: 7 }
    const { rows, hasMore }: RowPage<ListedEvent> = await db.asEngine(async (tx) =>
      listEvents(tx, filterOf(brandId, part), page),
    )
    found.push(...rows)
    const last = rows.at(-1)
    if (!hasMore || last === undefined) return found
    before = last
  }
}

async function walkTimeline(
  { db, brandId }: Side,
  { profileIds, from = null, to = null }: TimelineRange,
): Promise<readonly unknown[]> {
  const found: unknown[] = []
  let mark: TimelineMark | null = null
  for (;;) {
    const asked: TimelineQuery = {
      brandId,
      profileIds,
      kinds: ['event'],
      from,
      to,
      after: mark,
      limit: 3,
    }
    const { rows, hasMore }: RowPage<TimelineLine> = await db.asLookUp(brandId, async (tx) =>
      listTimeline(tx, asked),
    )
    found.push(...rows)
    mark = rows.at(-1) ?? null
    if (!hasMore || mark === null) return found
  }
}

type TimelineRange = Pick<TimelineQuery, 'profileIds'> & Partial<Pick<TimelineQuery, 'from' | 'to'>>

export type Asked = {
  readonly within: number | null
  readonly count: { readonly is: 'eq' | 'gte' | 'lt'; readonly value: number }
  readonly where: Extract<Filter, { kind: 'event' }>['where']
  readonly zone: string
  readonly days: number
  readonly person: number
}

export const ASKED: fc.Arbitrary<Asked> = fc.record({
  within: fc.constantFrom(null, 2, 15, 400),
  count: fc.record({ is: fc.constantFrom('eq', 'gte', 'lt'), value: fc.constantFrom(0, 1, 2) }),
  where: fc.array(ATTRIBUTE_CONDITION, { maxLength: 1 }),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York'),
  days: fc.constantFrom(12, 38),
  person: fc.constantFrom(...PEOPLE),
})

/** Every reader of events, each asked once. */
export async function answers(
  side: Side,
  asked: Asked,
  frozen: { readonly eventFiles: EventFiles },
): Promise<Readonly<Record<string, unknown>>> {
  const { db, brandId } = side
  const { within: withinDays, count, where, zone: timeZone, days } = asked
  const now = NOW
  const range = { brandId, fromAt: now - days * DAY_MS, toAt: now - DAY_MS }
  const me = BigInt(asked.person)
  const filter = { kind: 'event', event: 'buy', count, withinDays, where } as const
  const asEngine = async <Value>(work: (tx: Db) => Promise<Value>): Promise<Value> => db.asEngine(work)
  const statsQuery = { filter: filterOf(brandId, {}), timeZone, attribute: 'a', limit: 100 }
  const stats = async (by: StatsGroup) =>
    db.asReader(brandId, async (tx) => loadStats(tx, { ...statsQuery, by }))
  const own = { brandId, profileIds: [me], before: null, limit: 20 }
  const question: EventQuestion = {
    ...range,
    eventName: 'buy',
    where,
    people: filter,
    now,
    measure: 'people',
    attribute: null,
    percentile: 0.5,
    parts: [{ kind: 'attribute', name: 'a' }],
    groupsMax: 5,
    edges: querySpans({ every: 'day', zone: timeZone, fromAt: range.fromAt, toAt: range.toAt }),
    spansBefore: 0,
    cuts: null,
  }
  const spanned = { ...question, fromAt: question.edges[0] ?? 0, toAt: question.edges.at(-1) ?? 0 }
  const funnel = {
    ...range,
    steps: ['buy', 'see'],
    excluded: ['go'],
    withinMs: 20 * DAY_MS,
    parts: [{ kind: 'attribute', name: 'a' } as const],
    groupsMax: 3,
  }
  const retention = {
    ...range,
    startEvent: 'buy',
    returnEvent: null,
    unit: 'day',
    periods: 9,
    timeZone,
    division: {
      parts: [{ kind: 'attribute', name: 'a' }],
      groupsMax: 2,
      today: new Date(now).toISOString().slice(0, 10),
    },
  } as const
  const groups = { parts: [{ kind: 'attribute', name: 'a' }], keys: ['["a"]', '[1]', '[null]'] } as const
  const paths = { ...range, startEvent: 'buy', depth: 3, withinMs: 20 * DAY_MS, pathsMax: 5 }
  const files = { database: db, eventFiles: side.drops ? frozen.eventFiles : null }
  return {
    list: await walkList(side, {}),
    listOfName: await walkList(side, { eventName: 'see', fromAt: range.fromAt, toAt: range.toAt }),
    listOfUser: await walkList(side, { userId: `u${asked.person}` }),
    listWhere: await walkList(side, { where, people: { people: filter, now } }),
    listOfAttribute: await walkList(side, { attribute: { name: 'a', equals: '1' } }),
    listOfGroups: await walkList(side, { eventName: 'buy', groups: { ...groups, isOneOf: true } }),
    listOfRest: await walkList(side, { groups: { ...groups, isOneOf: false } }),
    listMistyped: await walkList(side, { mistyped: 'a' }),
    own: await db.asBrand(brandId, async (tx) => listOwnEvents(tx, own)),
    exported: await db.asReader(brandId, async (tx) =>
      exportEvents(tx, filterOf(brandId, {}), { afterId: 0n, limit: 11 }),
    ),
    timeline: await walkTimeline(side, { profileIds: [me] }),
    timelineSpan: await walkTimeline(side, { profileIds: [me], from: range.fromAt, to: range.toAt }),
    stats: await Promise.all(STATS_GROUPS.map(async (by) => askStats(files, { ...statsQuery, by }, watch))),
    statsRows: await Promise.all(STATS_GROUPS.map(stats)),
    people: await db.asBrand(brandId, async (tx) =>
      listPeople(tx, { ...range, eventName: 'buy', afterId: 0n, limit: 50 }),
    ),
    countPeople: await db.asBrand(brandId, async (tx) => countPeople(tx, { ...range, eventName: 'buy' })),
    triggers: await loadTriggers(db, { brandId, profileId: me, event: 'buy', limit: 3 }),
    since: await asEngine(async (tx) =>
      loadEventsSince(tx, {
        brandId,
        people: PEOPLE.map((id) => ({ profileId: BigInt(id), since: range.fromAt + id * DAY_MS })),
        names: ['buy', 'go'],
      }),
    ),
    swept: await asEngine(async (tx) =>
      loadSweptPeople(tx, { brandId, campaignId: 1n, event: 'buy', sendAt: range.fromAt, sweptId: 0n }, 4),
    ),
    ...(await peopleAnswers(side, { filter, retention })),
    members: await countMembers(db, { brandId, filter, now }),
    inFilter: await asEngine(async (tx) =>
      [...(await findInFilter(tx, { brandId, filter, profileIds: PEOPLE.map(BigInt), now }))]
        .map(String)
        .toSorted(),
    ),
    filtered: await asEngine(async (tx) => {
      const binds = new Binds()
      const sql = `${peopleSql({ brandId, people: { kind: 'not', of: filter }, now }, binds)} order by 1`
      return (await tx.query(sql, binds.values)).rows
    }),
    measured: rounded(await askMeasure(files, { ...watch, question: spanned })),
    measuredRows: rounded(await asEngine(async (tx) => measureEvents(tx, spanned))),
    funnel: rounded(await askFunnel(files, funnel, watch)),
    funnelRows: rounded(await db.asBrand(brandId, async (tx) => loadFunnel(tx, funnel))),
    funnelPeople: await db.asBrand(brandId, async (tx) =>
      listFunnelPeople(tx, { ...funnel, step: 1, did: 'stopped', afterId: null, limit: 50 }),
    ),
    retention: await askRetention(files, retention, watch),
    retentionRows: await db.asBrand(brandId, async (tx) => loadRetention(tx, retention)),
    paths: await askPaths(files, paths, watch),
    pathRows: await db.asBrand(brandId, async (tx) => loadPaths(tx, paths)),
    attributes: await db
      .asBrand(brandId, async (tx) =>
        listAttributes(tx, { brandId, eventName: 'buy', prefix: '', after: '', limit: 9, topValues: 5 }),
      )
      .then(({ rows }) => rows.map(({ attribute, values }) => ({ attribute, values }))),
    values: await db.asBrand(brandId, async (tx) =>
      listValues(tx, { brandId, eventName: 'see', attribute: 'a', prefix: '', limit: 9 }),
    ),
    counters: (
      await db.query(
        `select profile_id, event_name, event_count, first_event_at, last_event_at from profile_event_counters
         where brand_id = $1 order by 1, 2`,
        [brandId],
      )
    ).rows,
    activity: (
      await db.query(
        `select profile_id, event_count, first_event_at, last_event_at, ltv from profile_activity
         where brand_id = $1 order by 1`,
        [brandId],
      )
    ).rows,
  }
}

/** Cells in an order of their own, and means to 12 digits. */
function rounded(cells: readonly unknown[]): readonly string[] {
  return cells
    .map((cell) =>
      JSON.stringify(cell, (_, part: unknown) => {
        if (typeof part === 'bigint') return String(part)
        return typeof part === 'number' ? Number(part.toPrecision(12)) : part
      }),
    )
    .toSorted()
}
