import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { flawOf } from '../../domain/values/text.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { CONTEXT_FIELDS, CONTEXT_PLATFORMS } from '../../rules/events.ts'

export type Context = {
  readonly context: JsonObject | null
  readonly warnings: readonly Warning[]
}

/**
 * The metadata of an event. It never stands in the event's way: what is not in the table, or is not the text it
 * should be, is left out and named.
 */
export function parseContext(given: unknown): Context {
  if (given === undefined || given === null) return NONE
  if (!isJsonObject(given)) return { context: null, warnings: [ignored('context', AN_OBJECT)] }
  if (isClean(given)) return { context: given, warnings: [] }
  const warnings: Warning[] = []
  const context = { ...keepPart(given, '', warnings), ...keepGroups(given, warnings) }
  return { context, warnings }
}

const NONE: Context = { context: null, warnings: [] }

type Part = keyof typeof CONTEXT_FIELDS

const GROUPS = ['page', 'utm'] as const satisfies readonly Part[]
const FIELDS: Readonly<Record<Part, ReadonlySet<string>>> = {
  '': new Set(CONTEXT_FIELDS['']),
  page: new Set(CONTEXT_FIELDS.page),
  utm: new Set(CONTEXT_FIELDS.utm),
}
const PLATFORMS: ReadonlySet<unknown> = new Set(CONTEXT_PLATFORMS)

/** Nearly every context is kept as it came, and needs no copy. */
function isClean(given: JsonObject): boolean {
  for (const name in given) {
    const value = given[name]
    if (name === 'page' || name === 'utm') {
      if (!isJsonObject(value) || !isCleanPart(value, name)) return false
    } else if (!FIELDS[''].has(name) || !isFit(name, value)) return false
  }
  return true
}

function isCleanPart(given: JsonObject, part: Part): boolean {
  for (const name in given) if (!FIELDS[part].has(name) || !isFit(name, given[name])) return false
  return true
}

function isFit(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || flawOf(value) !== null) return false
  return name !== 'platform' || PLATFORMS.has(value)
}

function keepGroups(given: JsonObject, warnings: Warning[]): JsonObject {
  const kept: Record<string, JsonObject> = {}
  for (const name of GROUPS) {
    const group = given[name]
    if (isJsonObject(group)) kept[name] = keepPart(group, name, warnings)
    else if (group !== undefined && group !== null) {
      warnings.push(ignored(`context.${name}`, AN_OBJECT))
    }
  }
  return kept
}

function keepPart(given: JsonObject, part: Part, warnings: Warning[]): JsonObject {
  const kept: [string, unknown][] = []
  for (const [name, value] of Object.entries(given)) {
    const field = part === '' ? `context.${name}` : `context.${part}.${name}`
    if (part === '' && (name === 'page' || name === 'utm')) continue
    if (!FIELDS[part].has(name)) warnings.push(warning('unknown_field', field))
    else if (isFit(name, value)) kept.push([name, value])
    else if (value !== null) warnings.push(ignored(field, name === 'platform' ? A_PLATFORM : A_TEXT))
  }
  return Object.fromEntries(kept)
}

const AN_OBJECT = 'an object'
const A_TEXT = 'a text'
const A_PLATFORM = `one of ${CONTEXT_PLATFORMS.join(', ')}`

function ignored(field: string, expected: string): Warning {
  return warning('context_ignored', field, { expected })
}
