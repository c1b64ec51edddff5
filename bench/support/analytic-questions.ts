import { querySpans } from '../../src/domain/events/query-spans.ts'
import type { AskDeps } from '../../src/intake/event-files/ask-files.ts'
import { askMeasure } from '../../src/intake/events/measure.ts'
import { askFunnel, askPaths, askRetention } from '../../src/intake/events/walks.ts'
import type { EventQuestion } from '../../src/store/events/measuring.ts'
import { ANALYTICS } from './analytics-seed.ts'

type Caller = { readonly brandId: number; readonly signal: AbortSignal }

type AnalyticQuestion = {
  readonly what: string
  readonly isCommon: boolean
  readonly ask: (deps: AskDeps, caller: Caller) => Promise<unknown>
}

const DAY_MS = 86_400_000
const NOW = Date.now()

/** The time that the questions ask about. */
export type AskedTime = { readonly fromAt: number; readonly toAt: number }

type Change = Partial<Omit<EventQuestion, 'brandId' | 'cuts'>>

function measuring(time: AskedTime, what: string, isCommon: boolean, change: Change): AnalyticQuestion {
  const edges = querySpans({ every: 'day', zone: 'UTC', ...time })
  const asked = {
    measure: 'count',
    attribute: null,
    eventName: null,
    where: [],
    people: null,
    percentile: 0.9,
    parts: [],
    groupsMax: 10,
    spansBefore: 0,
    now: NOW,
    ...change,
    edges,
    fromAt: edges[0] ?? 0,
    toAt: edges.at(-1) ?? 0,
  } as const
  return {
    what,
    isCommon,
    ask: async (deps, { brandId, signal }) =>
      askMeasure(deps, { question: { ...asked, brandId }, signal, tell: null }),
  }
}

const STEPS = ['event_1', 'event_2', 'event_3']

/** The common questions are those of the bar; the others have the bar of DuckDB alone only. */
export function analyticQuestions(time: AskedTime): readonly AnalyticQuestion[] {
  return [
    measuring(time, 'trend by day', true, {}),
    measuring(time, 'one event by attribute', true, {
      eventName: 'event_2',
      parts: [{ kind: 'attribute', name: 'sku' }],
    }),
    {
      what: 'funnel of three steps',
      isCommon: true,
      ask: async (deps, { brandId, signal }) =>
        askFunnel(
          deps,
          { brandId, steps: STEPS, excluded: [], withinMs: 7 * DAY_MS, ...time, parts: [], groupsMax: 10 },
          { signal, tell: null },
        ),
    },
    {
      what: 'weekly retention',
      isCommon: true,
      ask: async (deps, { brandId, signal }) =>
        askRetention(
          deps,
          {
            brandId,
            startEvent: 'event_1',
            returnEvent: 'event_2',
            unit: 'week',
            periods: 8,
            timeZone: 'UTC',
            ...time,
            division: null,
          },
          { signal, tell: null },
        ),
    },
    measuring(time, 'people by day', false, { measure: 'people' }),
    measuring(time, 'sum of a number by day, with a condition', false, {
      measure: 'sum',
      attribute: 'total',
      where: [
        { kind: 'attribute', attribute: 'gift', comparison: { kind: 'equality', is: 'eq', value: true } },
      ],
    }),
    measuring(time, 'percentile of a number of one event', false, {
      measure: 'percentile',
      attribute: 'total',
      eventName: 'event_0',
    }),
    {
      what: 'paths after an event',
      isCommon: false,
      ask: async (deps, { brandId, signal }) =>
        askPaths(
          deps,
          { brandId, startEvent: 'event_4', depth: 3, withinMs: DAY_MS, ...time, pathsMax: 10 },
          { signal, tell: null },
        ),
    },
  ]
}

/** The questions about all weeks of `seedAnalytics`. */
export const ANALYTIC_QUESTIONS = analyticQuestions({
  fromAt: NOW - (ANALYTICS.weeks + 4) * 7 * DAY_MS,
  toAt: NOW,
})
