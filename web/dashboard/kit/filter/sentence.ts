import type { SegmentFilter } from '../../../client/api/documents.ts'
import type { Json } from '../../../client/json.ts'
import { SENTENCE_WORDS, type SentenceWords } from './sentence-words.ts'
import { textOf } from './values.ts'
import {
  countOf,
  type Join,
  joinOf,
  listOf,
  partsOf,
  peel,
  subjectOf,
  type Written,
  writtenOf,
} from './written.ts'

type Language = keyof typeof SENTENCE_WORDS

type Reading = {
  readonly words: SentenceWords
  readonly language: Language
  readonly segmentName: (id: string) => string
}

/** The most values that a sentence lists; the others are counted. */
const LISTED_MAX = 4

/** A filter as a plain sentence. */
export function sentenceOf(
  filter: SegmentFilter,
  language: Language,
  segmentName: Reading['segmentName'],
): string {
  const words = SENTENCE_WORDS[language]
  const clause = clauseOf(writtenOf(filter), { words, language, segmentName })
  if (clause === '') return words.nobody
  return `${clause.startsWith(words.not('')) ? words.everybody : words.people} ${clause}`
}

/** Conditions on the attributes of an event, in words. */
export function whereSentenceOf(where: readonly Written[], language: Language): string {
  return whereOf(where, { words: SENTENCE_WORDS[language], language, segmentName: (id) => id })
}

function whereOf(where: readonly Written[], reading: Reading): string {
  const { words } = reading
  return where
    .map((part) => words.bare(textOf(part['attribute']), comparedOf(part, reading)))
    .join(` ${words.and} `)
}

function clauseOf(written: Written, reading: Reading): string {
  const { nots, core } = peel(written)
  const clause = joinOf(core) === null ? leafOf(core, reading) : groupOf(core, reading)
  if (clause === '') return ''
  return Array.from({ length: nots }).reduce<string>((text) => reading.words.not(text), clause)
}

function groupOf(core: Written, reading: Reading): string {
  const { words } = reading
  const parts = partsOf(core)
  const word = joinOf(core) === 'any' ? words.or : words.and
  const clauses = parts.flatMap((part) => {
    const clause = clauseOf(part, reading)
    if (clause === '') return []
    return [parts.length > 1 && isMixed(part, joinOf(core)) ? `(${clause})` : clause]
  })
  return clauses.join(` ${word} `)
}

/** Whether a part needs brackets among others: a group of several that is joined otherwise, or turned around. */
function isMixed(part: Written, outer: Join | null): boolean {
  const { nots, core } = peel(part)
  const join = joinOf(core)
  return join !== null && partsOf(core).length > 1 && (join !== outer || nots > 0)
}

function leafOf(leaf: Written, reading: Reading): string {
  const { words } = reading
  const subject = subjectOf(leaf)
  if (subject === 'event') return eventOf(leaf, reading)
  if (subject === 'tag') return leaf['tag'] === '' ? '' : words.tag(words.quote(textOf(leaf['tag'])))
  if (subject === 'segment') {
    const id = textOf(leaf['segment'])
    return id === '' ? '' : words.segment(words.quote(reading.segmentName(id)))
  }
  if (subject !== 'users') return comparisonOf(leaf, reading)
  const { users } = leaf
  return isListEmpty(users) ? words.nobodyListed : words.users(valueText(users, reading))
}

function isListEmpty(value: Json | undefined): boolean {
  return !Array.isArray(value) || value.length === 0
}

function comparisonOf(leaf: Written, reading: Reading): string {
  const { words } = reading
  const subject = subjectOf(leaf)
  const isAttribute = subject === 'attribute' || subject === null
  const name = isAttribute ? textOf(leaf['attribute']) : (words.facts[subject] ?? subject)
  if (name === '') return ''
  return words.compared(name, comparedOf(leaf, reading))
}

function comparedOf(leaf: Written, reading: Reading): { readonly is: string; readonly text: string } {
  return { is: textOf(leaf['is']), text: valueText(leaf['value'], reading, textOf(leaf['is'])) }
}

function eventOf(leaf: Written, reading: Reading): string {
  const { words } = reading
  if (leaf['event'] === '') return ''
  const { is, value } = countOf(leaf)
  const days = leaf['within_days']
  const where = whereOf(listOf(leaf['where']), reading)
  const event = {
    name: textOf(leaf['event']),
    is,
    times: value ?? 0,
    days: typeof days === 'number' ? days : null,
    where,
  }
  const isNever = (is === 'eq' || is === 'lte') && value === 0
  return isNever || (is === 'lt' && value === 1) ? words.never(event) : words.event(event)
}

function valueText(value: Json | undefined, reading: Reading, is = ''): string {
  const { words, language } = reading
  if (Array.isArray(value)) {
    const texts = value.slice(0, LISTED_MAX).map((one) => valueText(one, reading, is))
    const others = value.length - texts.length
    const all =
      others === 0 ? texts : [...texts, words.others(new Intl.NumberFormat(language).format(others))]
    const last = all.at(-1) ?? '…'
    return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} ${words.or} ${last}`
  }
  if (value === null || value === undefined) return '…'
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'number' || typeof value === 'bigint') {
    return new Intl.NumberFormat(language, { maximumFractionDigits: 6 }).format(value)
  }
  const text = textOf(value)
  if (is === 'before' || is === 'after') return dateText(text, language)
  return text === '' ? words.empty : text
}

/** A day as a person says it; an instant, which has an offset of its own, as it was written. */
function dateText(text: string, language: Language): string {
  const date = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(date.getTime())) return text
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}

/** The ids of the segments that a filter refers to. */
export function referencesOf(written: Written): readonly string[] {
  const { core } = peel(written)
  if (joinOf(core) !== null) return partsOf(core).flatMap(referencesOf)
  return subjectOf(core) === 'segment' && core['segment'] !== null ? [textOf(core['segment'])] : []
}
