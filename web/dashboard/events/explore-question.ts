import { EVENT_MEASURES, type EventQuerySpan } from '../../../src/rules/event-queries.ts'
import { SEGMENT_LIMITS } from '../../../src/rules/segments.ts'
import type { SegmentFilter } from '../../client/api/documents.ts'
import { encodeJson, parseJson } from '../../client/json.ts'
import { useSearchWords } from '../kit/address.tsx'
import type { Input } from '../kit/call.ts'
import { filterIn } from '../kit/filter/filter-word.ts'
import { blanksIn, isWhole, type Written } from '../kit/filter/written.ts'
import { useTexts } from '../kit/texts.tsx'
import { type AskedTime, spansFor, timeFields, useAskedTime, usualSpan } from './asked-time.ts'
import { numberIn } from './number-word.ts'
import { partOf, partsIn, TOP } from './parts.ts'
import { EVENTS_TEXTS } from './texts.ts'
import { useZone } from './trend.tsx'

export const MEASURES = [
  'count',
  'people',
  'sum',
  'average',
  'percentile',
] as const satisfies readonly Measure[]
export type Measure = keyof typeof EVENT_MEASURES

type Question = NonNullable<Input<'POST /api/v1/events/query'>['body']>

/** The answers to the page's choices, as the address has them. */
export type Asked = {
  readonly measure: Measure
  readonly name: string
  readonly attribute: string
  readonly percentile: number
  readonly time: AskedTime
  /** The span that the reader chose; undefined: the usual one. */
  readonly every: EventQuerySpan | undefined
  readonly parts: readonly string[]
  readonly segment: string
  /** The conditions on people, finished or not; null for everybody, and for the people of a segment. */
  readonly people: SegmentFilter | null
  /** The conditions on the events. */
  readonly where: readonly Written[]
  readonly isCompared: boolean
}

/** The median is the usual percentile. */
export const PERCENTILE = { usual: 50, min: 1, max: 99 } as const

export function useAsked(): readonly [Asked, Question] {
  const [words] = useSearchWords()
  const zone = useZone()
  const time = useAskedTime(zone)
  const segment = words['segment'] ?? ''
  const asked: Asked = {
    measure: MEASURES.find((measure) => measure === words['measure']) ?? 'count',
    name: words['name'] ?? '',
    attribute: words['of'] ?? '',
    percentile: numberIn(words['percentile'], PERCENTILE),
    time,
    every: spansFor(time).find((span) => span === words['every']),
    parts: partsIn(words['by'] ?? ''),
    segment,
    people: segment === '' ? filterIn(words['people']) : null,
    // Attributes are those of one event.
    where: (words['name'] ?? '') === '' ? [] : whereIn(words['where'] ?? ''),
    // Nothing was before all time.
    isCompared: words['compare'] === 'yes' && time.days !== null,
  }
  const { measure, name, attribute, parts, where, isCompared } = asked
  const people = segment === '' ? wholePeople(asked) : { segment }
  const every = asked.every ?? usualSpan(time)
  const question: Question = {
    measure,
    ...(EVENT_MEASURES[measure].needsNumber && attribute !== '' ? { attribute } : {}),
    ...(measure === 'percentile' ? { percentile: asked.percentile } : {}),
    ...(name === '' ? {} : { event_name: name }),
    ...(where.length === 0 ? {} : { where: where.map((part) => Object(part)) }),
    ...(parts.length === 0 ? {} : { by: parts.flatMap(partOf), top: numberIn(words['top'], TOP) }),
    ...(people === null ? {} : { people }),
    ...(every === undefined ? {} : { every }),
    ...timeFields(time),
    ...(zone === undefined ? {} : { time_zone: zone }),
    ...(isCompared ? { compare: true } : {}),
  }
  return [asked, question]
}

/** The conditions on the people; null while something in them is still to be said. */
export function wholePeople({ people }: Pick<Asked, 'people'>): SegmentFilter | null {
  return people !== null && isWhole(people) ? people : null
}

/** The name of what is measured: a percentile says which. */
export function useMeasureName(): (asked: Pick<Asked, 'measure' | 'percentile'>) => string {
  const { explore: texts } = useTexts(EVENTS_TEXTS)
  return ({ measure, percentile }) =>
    measure === 'percentile' ? texts.percentileOf(percentile) : texts.measures[measure]
}

/** The conditions that the address has; those that cannot be asked for yet are left out. */
function whereIn(text: string): readonly Written[] {
  try {
    const list: unknown = text === '' ? [] : parseJson(text)
    return Array.isArray(list) ? wholeOf(list.map((part) => Object(part))) : []
  } catch {
    // An address that somebody has cut has no conditions.
    return []
  }
}

/** The conditions of which everything is said. */
export function wholeOf(where: readonly Written[]): readonly Written[] {
  return where.filter((part) => blanksIn(part).length === 0).slice(0, SEGMENT_LIMITS.whereMax)
}

export function whereText(where: readonly Written[]): string {
  return where.length === 0 ? '' : encodeJson(where)
}
