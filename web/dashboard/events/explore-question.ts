import { EVENT_MEASURES, EVENT_QUERY_LIMITS } from '../../../src/rules/event-queries.ts'
import { SEGMENT_LIMITS } from '../../../src/rules/segments.ts'
import { encodeJson, parseJson } from '../../client/json.ts'
import { useSearchWords } from '../kit/address.tsx'
import type { Input } from '../kit/call.ts'
import { blanksIn, type Written } from '../kit/filter/written.ts'
import { fromOf, RANGES, useRange } from './range.ts'
import { useZone } from './trend.tsx'

export const MEASURES = [
  'count',
  'people',
  'sum',
  'average',
  'percentile',
] as const satisfies readonly Measure[]
export type Measure = keyof typeof EVENT_MEASURES

/** The parts of the context that a campaign or a platform leaves there; the API knows them all. */
export const CONTEXT_PARTS = [
  'platform',
  'language',
  'utm.source',
  'utm.medium',
  'utm.campaign',
  'page.url',
  'page.referrer',
] as const

type Question = NonNullable<Input<'POST /api/v1/events/query'>['body']>
type Part = NonNullable<Question['by']>[number]

/** The answers to the page's choices, as the address has them. A part is written `attribute:plan`. */
export type Asked = {
  readonly measure: Measure
  readonly name: string
  readonly attribute: string
  readonly parts: readonly string[]
  readonly segment: string
  /** The conditions on the events. */
  readonly where: readonly Written[]
  readonly isCompared: boolean
}

const MEDIAN = 50

export function useAsked(): readonly [Asked, Question] {
  const [words] = useSearchWords()
  const range = useRange()
  const zone = useZone()
  const asked: Asked = {
    measure: MEASURES.find((measure) => measure === words['measure']) ?? 'count',
    name: words['name'] ?? '',
    attribute: words['of'] ?? '',
    parts: partsIn(words['by'] ?? ''),
    segment: words['segment'] ?? '',
    // Attributes are those of one event.
    where: (words['name'] ?? '') === '' ? [] : whereIn(words['where'] ?? ''),
    isCompared: words['compare'] === 'yes',
  }
  const { measure, name, attribute, parts, segment, where, isCompared } = asked
  const question: Question = {
    measure,
    ...(EVENT_MEASURES[measure].needsNumber && attribute !== '' ? { attribute } : {}),
    ...(measure === 'percentile' ? { percentile: MEDIAN } : {}),
    ...(name === '' ? {} : { event_name: name }),
    ...(where.length === 0 ? {} : { where: where.map((part) => Object(part)) }),
    ...(parts.length === 0 ? {} : { by: parts.flatMap(partOf) }),
    ...(segment === '' ? {} : { people: { segment } }),
    every: RANGES[range].by,
    from: fromOf(range, zone),
    ...(zone === undefined ? {} : { time_zone: zone }),
    ...(isCompared ? { compare: true } : {}),
  }
  return [asked, question]
}

/** Names of attributes may have commas, so the address has the parts as JSON. */
function partsIn(text: string): readonly string[] {
  try {
    const list: unknown = text === '' ? [] : JSON.parse(text)
    const parts = Array.isArray(list) ? list.filter((part) => typeof part === 'string') : []
    return parts.filter((part) => partOf(part).length > 0).slice(0, EVENT_QUERY_LIMITS.partsMax)
  } catch {
    // An address that somebody has cut asks for no parts.
    return []
  }
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

export function partsText(parts: readonly string[]): string {
  return parts.length === 0 ? '' : JSON.stringify(parts)
}

/** A part as the API takes it; none for a text that names none. */
export function partOf(written: string): readonly Part[] {
  const at = written.indexOf(':')
  const [kind, name] = [written.slice(0, at), written.slice(at + 1)]
  if (kind === 'event') return [{ event: 'name' }]
  if (kind === 'attribute' && name !== '') return [{ attribute: name }]
  if (kind === 'person' && name !== '') return [{ person: name }]
  const context = kind === 'context' ? CONTEXT_PARTS.find((part) => part === name) : undefined
  return context === undefined ? [] : [{ context }]
}

/** A part in words; the name of the event has a word of its own. */
export function partName(part: string, event: string): string {
  return part === 'event:name' ? event : part.slice(part.indexOf(':') + 1)
}
