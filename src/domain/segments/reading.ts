import { SEGMENT_COUNTS, SEGMENT_FACTS, SEGMENT_LIMITS, type SegmentFact } from '../../rules/segments.ts'
import { parseInt64 } from '../values/int64.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { readComparison, readDays } from './comparison-reading.ts'
import { type Node, type Reading, readName, refuseNode } from './place.ts'
import type { AttributeCondition, Condition, EventCondition, Reference } from './segment.ts'

/** Each of the readers below gives a condition, or null and a fault. */
export function readAttribute(reading: Reading, node: Node, whole: JsonObject): AttributeCondition | null {
  const attribute = readName(reading, node, SEGMENT_LIMITS.attributeCharsMax)
  const comparison = readComparison(reading, parentOf(node), whole)
  if (attribute === null || comparison === null) return null
  return { kind: 'attribute', attribute, comparison }
}

export function readField(reading: Reading, node: Node, whole: JsonObject): Condition | null {
  const field = FACT_NAMES.find((name) => name === node.value)
  if (field === undefined) return refuseNode(reading, node.path, `it must be one of ${FACT_NAMES.join(', ')}`)
  const comparison = readComparison(reading, parentOf(node), whole, SEGMENT_FACTS[field])
  return comparison === null ? null : { kind: 'field', field, comparison }
}

const FACT_NAMES = Object.keys(SEGMENT_FACTS).filter((name): name is SegmentFact => name in SEGMENT_FACTS)

export function readEvent(reading: Reading, node: Node, whole: JsonObject): EventCondition | null {
  const path = parentOf(node)
  const event = readName(reading, node, SEGMENT_LIMITS.eventCharsMax)
  const count = readCount(reading, `${path}.count`, whole['count'])
  const days = { reading, path: `${path}.within_days`, value: whole['within_days'] }
  const withinDays = days.value === undefined ? null : readDays(days)
  const where = readWhere(reading, { ...node, path: `${path}.where`, value: whole['where'] ?? [] })
  if (event === null || count === null || where === null) return null
  return { kind: 'event', event, count, withinDays, where }
}

function readCount(reading: Reading, path: string, value: unknown): EventCondition['count'] | null {
  if (value === undefined) return { is: 'gte', value: 1 }
  const [entry, ...others] = isJsonObject(value) ? Object.entries(value) : []
  const is = SEGMENT_COUNTS.find((name) => name === entry?.[0])
  const wanted = entry?.[1]
  if (is === undefined || others.length > 0 || !isCountable(wanted, reading)) {
    const names = SEGMENT_COUNTS.join(', ')
    return refuseNode(reading, path, `it must have one key of ${names}, with 0 to ${SEGMENT_LIMITS.countMax}`)
  }
  return { is, value: wanted }
}

function isCountable(value: unknown, { isJudged }: Reading): value is number {
  const max = isJudged ? SEGMENT_LIMITS.countMax : Number.MAX_SAFE_INTEGER
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
}

/** Conditions that an event's own attributes must all meet; none when nothing is asked. */
export function readWhere(
  reading: Reading,
  { path, value, depth }: Node,
): readonly AttributeCondition[] | null {
  if (!Array.isArray(value) || (reading.isJudged && value.length > SEGMENT_LIMITS.whereMax)) {
    const detail = `it must be a list of at most ${SEGMENT_LIMITS.whereMax} conditions on attributes`
    return refuseNode(reading, path, detail)
  }
  const conditions = value.map((item: unknown, at) => {
    const whole = isJsonObject(item) ? item : {}
    const stray = Object.keys(whole).find((name) => !['attribute', 'is', 'value'].includes(name))
    if (reading.isJudged && stray !== undefined) {
      return refuseNode(reading, `${path}[${at}]`, 'it must have attribute, is and value, and nothing else')
    }
    const node = { path: `${path}[${at}].attribute`, value: whole['attribute'], depth }
    return readAttribute(reading, node, whole)
  })
  return conditions.filter((condition) => condition !== null)
}

export function readReference(reading: Reading, { path, value }: Node): Reference | null {
  const id = parseInt64(value)
  return id === null ? refuseNode(reading, path, 'it must be the id of a segment') : { kind: 'segment', id }
}

/** The path of the object that a key stands in. */
function parentOf({ path }: Node): string {
  return path.slice(0, path.lastIndexOf('.'))
}
