import {
  EVENT_WHERE,
  SEGMENT_CONDITIONS,
  SEGMENT_COUNTS,
  SEGMENT_DOCUMENTS,
  SEGMENT_FACTS,
  type SegmentCondition,
} from '../../rules/segments.ts'
import { accept, type Result, reject } from '../result.ts'
import { unreachable } from '../unreachable.ts'
import {
  int64At,
  namesOf,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  wordAt,
} from '../values/checked.ts'
import { fits } from '../values/document.ts'
import { type DocumentReading, startReading } from '../values/document-reading.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import type { Path } from '../values/path.ts'
import { comparisonOf, encodeComparison } from './comparison.ts'
import type { AttributeCondition, EventCondition, WrittenFilter } from './segment.ts'

/** A filter in the form it is written and stored, or the path of every node that cannot be: `filter.all[1].tag`. */
export function parseFilter(
  value: unknown,
  path: Path,
  { isJudged }: Pick<DocumentReading, 'isJudged'> = { isJudged: true },
): Result<WrittenFilter> {
  const reading = startReading(SEGMENT_DOCUMENTS, { kind: 'filter', isJudged })
  if (fits(reading, { type: 'named', name: 'SegmentFilter' }, { path, value }) && isJsonObject(value)) {
    return accept(conditionOf(value))
  }
  return rejectRead(reading)
}

/** Conditions on the attributes of an event, as a caller writes them beside its name; none where nothing is asked. */
export function parseWhere(value: unknown, path: Path): Result<readonly AttributeCondition[]> {
  if ((value ?? null) === null) return accept([])
  const reading = startReading(SEGMENT_DOCUMENTS, { kind: 'filter', isJudged: true })
  if (fits(reading, EVENT_WHERE.shape, { path, value })) return accept(whereOf({ where: value }))
  return rejectRead(reading)
}

function rejectRead({ faults }: DocumentReading): Result<never> {
  const [first, ...others] = faults
  if (first === undefined) throw new Error('a filter was refused without a fault')
  return reject(first, ...others)
}

/** A filter whose shape was checked, as the tree of its conditions. */
export function conditionOf(written: JsonObject): WrittenFilter {
  const kind = KINDS.find((name) => Object.hasOwn(written, name))
  if (kind === undefined) throw new Error('a checked filter has no condition')
  return READERS[kind](written)
}

/** The written form of a filter, which is stored; `conditionOf` gives the filter back. */
export function encodeFilter(filter: WrittenFilter): JsonObject {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { [filter.kind]: filter.of.map(encodeFilter) }
    case 'not':
      return { not: encodeFilter(filter.of) }
    case 'tag':
      return { tag: filter.tag }
    case 'users':
      return { users: filter.userIds }
    case 'attribute':
      return { attribute: filter.attribute, ...encodeComparison(filter.comparison) }
    case 'field':
      return { field: filter.field, ...encodeComparison(filter.comparison) }
    case 'event':
      return {
        event: filter.event,
        count: { [filter.count.is]: filter.count.value },
        ...(filter.withinDays === null ? {} : { within_days: filter.withinDays }),
        ...(filter.where.length === 0 ? {} : { where: filter.where.map(encodeFilter) }),
      }
    case 'segment':
      return { segment: filter.id }
    default:
      return unreachable(filter)
  }
}

const KINDS = namesOf(SEGMENT_CONDITIONS)
const FACTS = namesOf(SEGMENT_FACTS)

/** How each condition is read, once its shape was checked. */
const READERS: Readonly<Record<SegmentCondition, (written: JsonObject) => WrittenFilter>> = {
  all: (written) => ({ kind: 'all', of: objectsAt(written, 'all').map(conditionOf) }),
  any: (written) => ({ kind: 'any', of: objectsAt(written, 'any').map(conditionOf) }),
  not: (written) => ({ kind: 'not', of: conditionOf(objectAt(written, 'not')) }),
  tag: (written) => ({ kind: 'tag', tag: textAt(written, 'tag') }),
  users: (written) => ({ kind: 'users', userIds: [...new Set(textsAt(written, 'users'))] }),
  attribute: attributeOf,
  event: (written) => ({
    kind: 'event',
    event: textAt(written, 'event'),
    count: countOf(written),
    withinDays: written['within_days'] === undefined ? null : numberAt(written, 'within_days'),
    where: whereOf(written),
  }),
  field: (written) => ({
    kind: 'field',
    field: wordAt(written, 'field', FACTS),
    comparison: comparisonOf(written),
  }),
  segment: (written) => ({ kind: 'segment', id: int64At(written, 'segment') }),
}

/** The conditions on the attributes of an event; none where nothing is asked. */
export function whereOf(written: JsonObject): readonly AttributeCondition[] {
  return (written['where'] ?? null) === null ? [] : objectsAt(written, 'where').map(attributeOf)
}

function attributeOf(written: JsonObject): AttributeCondition {
  return { kind: 'attribute', attribute: textAt(written, 'attribute'), comparison: comparisonOf(written) }
}

/** At least once, where nothing is asked. */
function countOf(written: JsonObject): EventCondition['count'] {
  if (written['count'] === undefined) return { is: 'gte', value: 1 }
  const count = objectAt(written, 'count')
  const is = SEGMENT_COUNTS.find((word) => Object.hasOwn(count, word))
  if (is === undefined) throw new Error('a checked count has no operator')
  return { is, value: numberAt(count, is) }
}
