import type { SegmentCount } from '../../../../src/rules/segments.ts'
import type { Subject } from './written.ts'

/** A comparison with its value in words: `text` is the value, or how many days. */
type Compared = { readonly is: string; readonly text: string }

export type EventWords = {
  readonly name: string
  readonly is: SegmentCount
  readonly times: number
  /** Null: ever. */
  readonly days: number | null
  /** The conditions on its attributes, each in words; empty when there are none. */
  readonly where: string
}

/** How a language reads a filter. Each clause follows on "People", so that any of them can stand together. */
export type SentenceWords = {
  readonly people: string
  /** In its place before a clause that is turned around. */
  readonly everybody: string
  readonly nobody: string
  readonly and: string
  readonly or: string
  readonly yes: string
  readonly no: string
  readonly empty: string
  readonly quote: (text: string) => string
  readonly others: (count: string) => string
  readonly facts: Readonly<Partial<Record<Subject, string>>>
  readonly compared: (name: string, compared: Compared) => string
  /** Of an attribute of an event, which stands after "where". */
  readonly bare: (name: string, compared: Compared) => string
  readonly tag: (tag: string) => string
  readonly users: (users: string) => string
  readonly nobodyListed: string
  readonly segment: (name: string) => string
  readonly event: (event: EventWords) => string
  readonly never: (event: EventWords) => string
  readonly not: (clause: string) => string
}

const EN_OPERATORS: Readonly<Record<string, (text: string) => string>> = {
  eq: (text) => `is ${text}`,
  ne: (text) => `is known and not ${text}`,
  in: (text) => `is ${text}`,
  gt: (text) => `is more than ${text}`,
  gte: (text) => `is at least ${text}`,
  lt: (text) => `is less than ${text}`,
  lte: (text) => `is at most ${text}`,
  contains: (text) => `contains ${text}`,
  starts_with: (text) => `starts with ${text}`,
  before: (text) => `is before ${text}`,
  after: (text) => `is after ${text}`,
  within_days: (text) => (text === '1' ? 'was in the last day' : `was in the last ${text} days`),
  exists: () => 'is known',
  missing: () => 'is unknown',
}

const EN_COUNTS: Readonly<Record<SegmentCount, string>> = {
  eq: 'exactly',
  gt: 'more than',
  gte: 'at least',
  lt: 'fewer than',
  lte: 'at most',
}

function enWindow({ days }: EventWords): string {
  if (days === null) return ''
  return days === 1 ? ' in the last day' : ` in the last ${days} days`
}

function enTimes({ is, times }: EventWords): string {
  if (is === 'gte' && times === 1) return ''
  return ` ${EN_COUNTS[is]} ${times === 1 ? 'once' : `${times} times`}`
}

const EN: SentenceWords = {
  people: 'People',
  everybody: 'Everybody, but',
  nobody: 'Nobody yet',
  and: 'and',
  or: 'or',
  yes: 'yes',
  no: 'no',
  empty: 'an empty text',
  quote: (text) => `“${text}”`,
  others: (count) => `${count} others`,
  facts: {
    platform: 'platform',
    language: 'language',
    time_zone: 'time zone',
    browser: 'browser',
    app_version: 'app version',
    last_seen: 'last sign of life',
    created_at: 'first day with us',
    ltv: 'lifetime value',
  },
  compared: (name, { is, text }) => `whose ${name} ${EN_OPERATORS[is]?.(text) ?? ''}`,
  bare: (name, { is, text }) => `${name} ${EN_OPERATORS[is]?.(text) ?? ''}`,
  tag: (tag) => `who have the tag ${tag}`,
  users: (users) => `who are ${users}`,
  nobodyListed: 'who are on a list that is empty',
  segment: (name) => `who are in ${name}`,
  event: (event) => `who did ${event.name}${enTimes(event)}${enWindow(event)}${enWhere(event)}`,
  never: (event) => `who never did ${event.name}${enWindow(event)}${enWhere(event)}`,
  not: (clause) => `not those ${clause}`,
}

function enWhere({ where }: EventWords): string {
  return where === '' ? '' : ` where ${where}`
}

const DE_OPERATORS: Readonly<Record<string, (text: string) => string>> = {
  eq: (text) => `${text} ist`,
  ne: (text) => `bekannt und nicht ${text} ist`,
  in: (text) => `${text} ist`,
  gt: (text) => `mehr als ${text} ist`,
  gte: (text) => `mindestens ${text} ist`,
  lt: (text) => `weniger als ${text} ist`,
  lte: (text) => `höchstens ${text} ist`,
  contains: (text) => `${text} enthält`,
  starts_with: (text) => `mit ${text} beginnt`,
  before: (text) => `vor ${text} liegt`,
  after: (text) => `nach ${text} liegt`,
  within_days: (text) => (text === '1' ? 'am letzten Tag war' : `in den letzten ${text} Tagen war`),
  exists: () => 'bekannt ist',
  missing: () => 'unbekannt ist',
}

const DE_COUNTS: Readonly<Record<SegmentCount, string>> = {
  eq: 'genau',
  gt: 'mehr als',
  gte: 'mindestens',
  lt: 'weniger als',
  lte: 'höchstens',
}

function deWindow({ days }: EventWords): string {
  if (days === null) return ''
  return days === 1 ? ' am letzten Tag' : ` in den letzten ${days} Tagen`
}

function deTimes({ is, times }: EventWords): string {
  return is === 'gte' && times === 1 ? '' : ` ${DE_COUNTS[is]} ${times}-mal`
}

function deWhere({ where }: EventWords): string {
  return where === '' ? '' : `, wobei ${where}`
}

const DE: SentenceWords = {
  people: 'Personen,',
  everybody: 'Alle, aber',
  nobody: 'Noch niemand',
  and: 'und',
  or: 'oder',
  yes: 'ja',
  no: 'nein',
  empty: 'ein leerer Text',
  quote: (text) => `„${text}“`,
  others: (count) => `${count} andere`,
  facts: {
    platform: 'Plattform',
    language: 'Sprache',
    time_zone: 'Zeitzone',
    browser: 'Browser',
    app_version: 'App-Version',
    last_seen: 'letztes Lebenszeichen',
    created_at: 'erster Tag bei uns',
    ltv: 'Kundenwert',
  },
  compared: (name, { is, text }) => `deren ${name} ${DE_OPERATORS[is]?.(text) ?? ''}`,
  bare: (name, { is, text }) => `${name} ${DE_OPERATORS[is]?.(text) ?? ''}`,
  tag: (tag) => `die das Schlagwort ${tag} haben`,
  users: (users) => `die ${users} sind`,
  nobodyListed: 'die auf einer leeren Liste stehen',
  segment: (name) => `die in ${name} sind`,
  event: (event) => `die ${event.name}${deTimes(event)}${deWindow(event)} getan haben${deWhere(event)}`,
  never: (event) => `die ${event.name}${deWindow(event)} nie getan haben${deWhere(event)}`,
  not: (clause) => `nicht die, ${clause}`,
}

export const SENTENCE_WORDS = { en: EN, de: DE } as const satisfies Record<string, SentenceWords>
