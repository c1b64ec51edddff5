import type { DocumentOperators, DocumentShape } from '../../../../src/rules/documents.ts'
import {
  SEGMENT_COUNTS,
  SEGMENT_FACTS,
  SEGMENT_OPERATORS,
  type SegmentCount,
  type SegmentFact,
} from '../../../../src/rules/segments.ts'
import type { SegmentFilter } from '../../../client/api/documents.ts'
import type { Json } from '../../../client/json.ts'
import { textOf } from './values.ts'

/**
 * A filter as its author writes it. The builder keeps nothing beside it, so whatever the API returns is shown and goes
 * back unchanged. A value that is still to be said is null, a name that is still to be said is ''.
 */
export type Written = { readonly [key: string]: Json | undefined }

export function writtenOf(filter: SegmentFilter): Written {
  return Object(filter)
}

export function filterOf(written: Written): SegmentFilter {
  return Object(written)
}

/** The subjects of a condition, in the order of the menu. A fact that Beckon knows by itself is a subject of its own. */
export const SUBJECTS = {
  person: ['attribute', 'event', 'tag', 'segment', 'users', 'last_seen', 'created_at', 'ltv'],
  device: ['platform', 'language', 'app_version', 'browser', 'time_zone'],
} as const

export type Subject = (typeof SUBJECTS)[keyof typeof SUBJECTS][number]

const ALL_SUBJECTS: readonly Subject[] = [...SUBJECTS.person, ...SUBJECTS.device]

export function subjectIn(word: Json | undefined): Subject | null {
  return ALL_SUBJECTS.find((subject) => subject === word) ?? null
}

/** The subject of a condition; null for a group. */
export function subjectOf(leaf: Written): Subject | null {
  return (
    subjectIn(leaf['field']) ??
    ALL_SUBJECTS.find((name) => !isFact(name) && Object.hasOwn(leaf, name)) ??
    null
  )
}

export function isFact(subject: string): subject is SegmentFact {
  return Object.hasOwn(SEGMENT_FACTS, subject)
}

const FIRST_OPERATORS: Readonly<Record<SegmentFact, string>> = {
  platform: 'eq',
  language: 'eq',
  time_zone: 'eq',
  browser: 'eq',
  app_version: 'eq',
  last_seen: 'within_days',
  created_at: 'within_days',
  ltv: 'gte',
}

/** A new condition, with everything still to be said. */
export function newLeaf(subject: Subject): Written {
  if (isFact(subject)) return { field: subject, is: FIRST_OPERATORS[subject], value: null }
  if (subject === 'attribute') return { attribute: '', is: 'eq', value: null }
  if (subject === 'users') return { users: [] }
  return { [subject]: subject === 'segment' ? null : '' }
}

export type Join = 'all' | 'any'

/** Whether a filter is a group, and how its parts are joined. */
export function joinOf(core: Written): Join | null {
  if (Object.hasOwn(core, 'all')) return 'all'
  return Object.hasOwn(core, 'any') ? 'any' : null
}

export function partsOf(core: Written): readonly Written[] {
  return listOf(core[joinOf(core) ?? 'all'])
}

/** The filters of a list: those of a group, or the conditions on an event. */
export function listOf(value: Json | undefined): readonly Written[] {
  return Array.isArray(value) ? value.map((part) => Object(part)) : []
}

/** A filter without the `not` around it, and how many there are. */
export function peel(written: Written): { readonly nots: number; readonly core: Written } {
  if (!Object.hasOwn(written, 'not')) return { nots: 0, core: written }
  const { nots, core } = peel(Object(written['not']))
  return { nots: nots + 1, core }
}

export function wrap(core: Written, nots: number): Written {
  return nots === 0 ? core : { not: wrap(core, nots - 1) }
}

/** The operators that a condition can have, with the shape of what each compares with. */
export function operatorsOf(leaf: Written): DocumentOperators {
  const subject = subjectOf(leaf)
  return subject !== null && isFact(subject) ? SEGMENT_FACTS[subject] : SEGMENT_OPERATORS
}

/** The shape of the value of a condition; null where its operator takes none. */
export function shapeOf(leaf: Written): DocumentShape | null {
  return operatorsOf(leaf)[textOf(leaf['is'])] ?? null
}

/** Another operator. The value stays as far as the new operator can take it. */
export function withOperator(leaf: Written, is: string): Written {
  const { value, ...rest } = leaf
  const changed = { ...rest, is }
  const shape = shapeOf(changed)
  if (shape === null) return changed
  const former = shapeOf(leaf)
  if (former !== null && JSON.stringify(former) === JSON.stringify(shape)) return { ...changed, value }
  const single = Array.isArray(value) ? value[0] : value
  if (shape.type === 'list') return { ...changed, value: isBlank(single) ? [] : [single ?? null] }
  return { ...changed, value: fitsShape(single, shape) ? (single ?? null) : null }
}

function fitsShape(value: Json | undefined, shape: DocumentShape): boolean {
  if (shape.type === 'scalar') return true
  const isNumeric = shape.type === 'number' || shape.type === 'integer'
  if (isNumeric) return typeof value === 'number' || typeof value === 'bigint'
  return typeof value === 'string' && shape.type === 'text'
}

function isBlank(value: Json | undefined): boolean {
  return value === undefined || value === null
}

export type Count = { readonly is: SegmentCount; readonly value: number | null }

/** How often an event must have been done; at least once where nothing is said. */
export function countOf(leaf: Written): Count {
  const count: Written = Object(leaf['count'] ?? { gte: 1 })
  const is = SEGMENT_COUNTS.find((word) => Object.hasOwn(count, word)) ?? 'gte'
  const value = count[is]
  return { is, value: typeof value === 'number' ? value : null }
}

export function withCount(leaf: Written, { is, value }: Count): Written {
  return { ...leaf, count: { [is]: value } }
}

/** Null: ever. */
export function withDays(leaf: Written, days: number | null | undefined): Written {
  const { within_days: _, ...rest } = leaf
  return days === undefined ? rest : { ...rest, within_days: days }
}

export function withWhere(leaf: Written, where: readonly Written[]): Written {
  const { where: _, ...rest } = leaf
  return where.length === 0 ? rest : { ...rest, where }
}

/** Whether everything in a filter is said. */
export function isWhole(filter: SegmentFilter): boolean {
  return blanksIn(writtenOf(filter)).length === 0
}

/** The paths of everything that is still to be said, as the API names them: `filter.all[1].value`. */
export function blanksIn(written: Written, path = 'filter'): readonly string[] {
  const { nots, core } = peel(written)
  const own = `${path}${'.not'.repeat(nots)}`
  const join = joinOf(core)
  if (join === null) return blanksOfLeaf(core, own)
  const parts = partsOf(core)
  if (parts.length === 0) return [`${own}.${join}`]
  return parts.flatMap((part, at) => blanksIn(part, `${own}.${join}[${at}]`))
}

function blanksOfLeaf(leaf: Written, path: string): readonly string[] {
  const blanks = Object.entries(leaf).flatMap(([key, value]) =>
    isUnsaid(key, value) ? [`${path}.${key}`] : [],
  )
  const hasCount = countOf(leaf).value !== null
  const where = listOf(leaf['where']).flatMap((part, at) => blanksOfLeaf(part, `${path}.where[${at}]`))
  return [...blanks, ...(hasCount ? [] : [`${path}.count`]), ...where]
}

/** An empty text is a value that can be compared with, but no name. */
function isUnsaid(key: string, value: Json | undefined): boolean {
  if (key === 'where') return false
  if (key === 'value') return value === null || (Array.isArray(value) && value.length === 0)
  return value === null || value === ''
}
