import { type Fault, fault } from '../../domain/fault.ts'
import { type Alternatives, contentKey } from '../../domain/push/alternatives.ts'
import { strangerScope } from '../../domain/push/sample.ts'
import { costlyTextAmong, isTemplate } from '../../domain/push/template.ts'
import { encodeJson, isJsonObject } from '../../domain/values/json.ts'
import { comparableTag, languageTagOf } from '../../domain/values/language-tag.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { LANGUAGE_LIMITS } from '../../rules/languages.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import type { FieldValue } from '../fields/field.ts'
import { type FieldRules, type ReadFields, readFields } from '../fields/fields.ts'
import { objectIn } from '../fields/value.ts'
import { pushContentOf, readContentFaults } from './content.ts'
import { misspeltFaults } from './misspelt.ts'

type Values = ReadonlyMap<string, FieldValue>

/** The fields of each language, by tag. */
export type ReadLanguages = {
  readonly values: ReadonlyMap<string, Values>
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
}

/**
 * Reads the `languages` of a body by the rules that the body was read by; a fault names the language: `languages.fr.title`.
 * Everything is bounded before any text is compiled. `prefix` is the path of the body.
 */
export function readLanguages(rules: FieldRules, fields: ReadFields, prefix = ''): ReadLanguages {
  const given = objectIn(fields.values, FIELD)
  const own = rules.bySpelling.get(FIELD)?.entries
  if (given === null || own === undefined) return NO_LANGUAGES
  const path = prefix + FIELD
  const entries = [...given].filter(([, value]) => value !== null && value !== undefined)
  const tooMuch = languagesFaults(path, sizeOfLanguages(entries))
  if (tooMuch.length > 0) return { ...NO_LANGUAGES, faults: tooMuch }

  const comparedMax = Math.ceil(PUSH_LIMITS.comparedFieldsMax / Math.max(1, entries.length))
  const parts = entries.map(([tag, value], at) => {
    const earlier = entries.slice(0, at).map(([other]) => other)
    return readLanguage({ rules: own, base: fields, path, comparedMax }, { tag, earlier, value })
  })
  const values = new Map(
    parts.flatMap(({ tag, values: read }) => (tag === null ? [] : [[tag, read] as const])),
  )
  const faults = parts.flatMap((part) => part.faults)
  return {
    values,
    faults: faults.length > 0 ? faults : workFaults(path, values),
    warnings: parts.flatMap(({ warnings }) => warnings).slice(0, PUSH_LIMITS.warningsMax),
  }
}

/** The content of a body in each of its languages, whole: its own fields over those of the body. */
export function alternativesOf(base: Values, languages: ReadonlyMap<string, Values>): Alternatives | null {
  if (languages.size === 0) return null
  const contents = [...languages].map(
    ([language, own]) =>
      [contentKey({ variant: null, language }), pushContentOf(new Map([...base, ...own]))] as const,
  )
  return { languages: [...languages.keys()], variants: [], contents: Object.fromEntries(contents) }
}

const FIELD = 'languages'

const NO_LANGUAGES: ReadLanguages = { values: new Map(), faults: [], warnings: [] }

type LanguageEntries = readonly (readonly [string, unknown])[]

/** The size of languages as they are written, which bounds the work of reading them. */
export type LanguagesSize = {
  readonly tags: ReadonlySet<string>
  readonly bytes: number
  /** The characters of texts with Liquid. */
  readonly templateChars: number
}

export function sizeOfLanguages(entries: LanguageEntries): LanguagesSize {
  const templateChars = entries
    .flatMap(([, content]) => (isJsonObject(content) ? Object.values(content) : []))
    .reduce((sum: number, text) => sum + (typeof text === 'string' && isTemplate(text) ? text.length : 0), 0)
  const tags = new Set(entries.map(([tag]) => tag))
  return { tags, bytes: Buffer.byteLength(encodeJson(entries)), templateChars }
}

/** More languages, or more text, than a notification may have. */
export function languagesFaults(path: string, size: LanguagesSize): readonly Fault[] {
  const { languagesMax, contentsBytesMax, templateCharsMax } = LANGUAGE_LIMITS
  const { tags, bytes, templateChars } = size
  const bounds = [
    { max: languagesMax, unit: 'languages', actual: tags.size },
    { max: contentsBytesMax, unit: 'bytes', actual: bytes },
    { max: templateCharsMax, unit: 'characters in texts with Liquid', actual: templateChars },
  ]
  const broken = bounds.find(({ max, actual }) => actual > max)
  return broken === undefined ? [] : [fault('field_too_long', path, broken)]
}

type Reading = {
  readonly rules: FieldRules
  readonly base: ReadFields
  readonly path: string
  /** The unknown fields of one language that are compared with the known ones, since each comparison takes time. */
  readonly comparedMax: number
}

type GivenLanguage = { readonly tag: string; readonly earlier: readonly string[]; readonly value: unknown }

type ReadLanguage = Omit<ReadLanguages, 'values'> & { readonly tag: string | null; readonly values: Values }

function readLanguage({ rules, base, path, comparedMax }: Reading, given: GivenLanguage): ReadLanguage {
  const own = `${path}.${given.tag.slice(0, LANGUAGE_LIMITS.tagCharsMax).toWellFormed()}`
  const tag = languageTagOf(given.tag)
  const flaw = languageFault(own, given)
  if (tag === null || flaw !== null || !isJsonObject(given.value)) {
    return { tag: null, values: new Map(), faults: flaw === null ? [] : [flaw], warnings: [] }
  }
  const read = readFields(rules, Object.entries(given.value), `${own}.`)
  const unknown = read.unknown.slice(0, comparedMax)
  const misspelt = misspeltFaults(unknown, rules.bySpelling.keys(), `${own}.`)
  // A button that lacks its text in the body itself is told once, for the body.
  const together = readContentFaults({ ...read, seen: new Set([...base.seen, ...read.seen]) })
    .filter(({ field }) => field !== null && read.seen.has(field))
    .map(({ field, ...rest }) => ({ ...rest, field: `${own}.${field ?? ''}` }))
  const isEmpty = read.seen.size === 0 && read.unknown.length === 0
  const empty = isEmpty ? [warning('no_effect', own, { detail: 'it has no content of its own' })] : []
  return {
    tag,
    values: read.values,
    faults: [...misspelt, ...read.faults, ...together],
    warnings: [...read.warnings, ...empty],
  }
}

/** A flaw of a language as a whole: its name, or that it is no object. */
function languageFault(field: string, { tag, earlier, value }: GivenLanguage): Fault | null {
  if (languageTagOf(tag) === null) {
    return fault('field_invalid', field, { detail: 'its name must be a language tag such as en or pt-BR' })
  }
  const twin = earlier.find((other) => comparableTag(other) === comparableTag(tag))
  if (twin !== undefined) {
    return fault('field_conflict', field, { detail: `it is the same language as ${twin}` })
  }
  return isJsonObject(value)
    ? null
    : fault('field_type', field, { expected: 'an object with the fields of a content' })
}

/** The templates of all languages share one measure of work. */
function workFaults(path: string, languages: ReadonlyMap<string, Values>): readonly Fault[] {
  const texts = [...languages].flatMap(([tag, values]) =>
    [...values].flatMap(([name, value]) =>
      typeof value === 'string' ? [{ field: `${path}.${tag}.${name}`, text: value }] : [],
    ),
  )
  const place = costlyTextAmong(
    texts.map(({ text }) => text),
    strangerScope(0),
    LANGUAGE_LIMITS.workMax,
  )
  return place === null ? [] : [fault('template_too_costly', texts[place]?.field ?? path)]
}
