import {
  CLOCK_PATTERN,
  DOCUMENT_FAULTS_MAX,
  type DocumentForm,
  type DocumentKeys,
  type DocumentOperators,
  type DocumentShape,
  type ListShape,
} from '../../rules/documents.ts'
import { unreachable } from '../unreachable.ts'
import { readDate } from './calendar.ts'
import { isScalar } from './checked.ts'
import { type DocumentReading, type Located, refusePart, startReading } from './document-reading.ts'
import { parseInt64 } from './int64.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { type Path, pathTo } from './path.ts'
import { flawOf, isLonger } from './text.ts'
import { isUuid } from './uuid.ts'

/** Whether a value has the shape; where it has not, faults say why. There is one case for each shape. */
export function fits(reading: DocumentReading, shape: DocumentShape, at: Located): boolean {
  const { path, value } = at
  switch (shape.type) {
    case 'text':
      return fitsText(reading, shape, at)
    case 'word':
      return (
        isWord(shape.words, value) || refusePart(reading, path, `it must be one of ${shape.words.join(', ')}`)
      )
    case 'integer':
      return fitsInteger(reading, shape, at)
    case 'number':
      return isNumber(value) || refusePart(reading, path, 'it must be a number')
    case 'boolean':
      return typeof value === 'boolean' || refusePart(reading, path, 'it must be true or false')
    case 'scalar':
      if (isNumber(value) || typeof value === 'boolean') return true
      if (typeof value === 'string') return fitsText(reading, { charsMin: 0, charsMax: shape.charsMax }, at)
      return refusePart(reading, path, 'it must be a string, a number or a boolean')
    case 'value':
      return isScalar(value) || refusePart(reading, path, 'it must be a string, a number, a boolean or null')
    case 'int64':
      return parseInt64(value) !== null || refusePart(reading, path, `it must be the id of ${shape.of}`)
    case 'uuid':
      return (
        (typeof value === 'string' && isUuid(value)) ||
        refusePart(reading, path, `it must be the id of ${shape.of}`)
      )
    case 'clock':
      return (
        (typeof value === 'string' && CLOCK.test(value)) ||
        refusePart(reading, path, 'it must be a time of day such as 09:00')
      )
    case 'date':
      return (typeof value === 'string' && readDate(value) !== null) || refusePart(reading, path, DATE_DETAIL)
    case 'bound':
      return fitsBound(reading, shape, at)
    case 'push':
      return true
    case 'list':
      return fitsLength(reading, shape, at) && fitsItems(reading, shape.of, at)
    case 'object':
      return fitsObject(reading, shape, at)
    case 'forms':
      return fitsForms(reading, shape.forms, at)
    case 'named':
      return fitsNamed(reading, shape.name, at)
    default:
      return unreachable(shape)
  }
}

const CLOCK = new RegExp(CLOCK_PATTERN)
const DATE_DETAIL = 'it must be a date: 2026-12-31, 2026-12-31 23:59:59 or 2026-12-31T23:59:59Z'

function isWord(words: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && words.includes(value)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
}

type TextBounds = { readonly charsMin: 0 | 1; readonly charsMax: number }

function fitsText(
  reading: DocumentReading,
  { charsMin, charsMax }: TextBounds,
  { path, value }: Located,
): boolean {
  const isText = typeof value === 'string'
  if (isText && !reading.isJudged) return true
  if (!isText || value.length < charsMin || isLonger(value, charsMax)) {
    const bounds = charsMin === 0 ? `at most ${charsMax}` : `${charsMin} to ${charsMax}`
    return refusePart(reading, path, `it must be a string of ${bounds} characters`)
  }
  const flaw = flawOf(value)
  return flaw === null || refusePart(reading, path, flaw)
}

/** A number in a stored document may be above its maximum, which may have been higher once, but never below its minimum. */
function fitsInteger(
  reading: DocumentReading,
  { min, max }: { readonly min: number; readonly max: number },
  { path, value }: Located,
): boolean {
  const number = typeof value === 'number' && Number.isSafeInteger(value) ? value : Number.NaN
  const isWithin = reading.isJudged
    ? number >= min && number <= max
    : number >= min || (min < 0 && number < 0)
  return isWithin || refusePart(reading, path, `it must be a whole number, ${min} to ${max}`)
}

function fitsBound(
  reading: DocumentReading,
  { words, max }: { readonly words: readonly string[]; readonly max: number },
  { path, value }: Located,
): boolean {
  const [entry, ...others] = isJsonObject(value) ? Object.entries(value) : []
  const number = Number.isSafeInteger(entry?.[1]) ? Number(entry?.[1]) : -1
  const isWithin = number >= 0 && (number <= max || !reading.isJudged)
  const isFine = entry !== undefined && words.includes(entry[0]) && others.length === 0 && isWithin
  return isFine || refusePart(reading, path, `it must have one key of ${words.join(', ')}, with 0 to ${max}`)
}

/** Whether a value is a list with an allowed number of items; the items themselves are not checked. */
export function fitsLength(
  reading: DocumentReading,
  { noun, itemsMin, itemsMax }: ListShape,
  { path, value }: Located,
): boolean {
  const max = reading.isJudged && itemsMax !== null ? itemsMax : Number.POSITIVE_INFINITY
  if (Array.isArray(value) && value.length >= itemsMin && value.length <= max) return true
  const least = itemsMin === 0 ? `at most ${itemsMax}` : `${itemsMin} to ${itemsMax}`
  return refusePart(
    reading,
    path,
    `it must be a list of ${itemsMax === null ? `at least ${itemsMin}` : least} ${noun}`,
  )
}

function fitsItems(reading: DocumentReading, shape: DocumentShape, { path, value }: Located): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  let areFine = true
  for (const [index, item] of items.entries()) {
    if (!fits(reading, shape, { path: pathTo(path, index), value: item })) areFine = false
    // A list that was refused often enough is not walked to its end.
    if (!areFine && (reading.visited.isTooMany || reading.faults.length >= DOCUMENT_FAULTS_MAX)) break
  }
  return areFine
}

function fitsObject(
  reading: DocumentReading,
  { keys, keysMin = 0 }: { readonly keys: DocumentKeys; readonly keysMin?: number },
  { path, value }: Located,
): boolean {
  const names = Object.keys(keys)
  if (!isJsonObject(value)) return refusePart(reading, path, `it must be an object with ${names.join(', ')}`)
  if (!hasOnly(reading, { names, hint: `write ${names.join(', ')}` }, { path, value })) return false
  if (reading.isJudged && Object.keys(value).length < keysMin) {
    return refusePart(reading, path, `it must have one of ${names.join(', ')}`)
  }
  return fitsKeys(reading, keys, { path, value })
}

type LocatedObject = { readonly path: Path; readonly value: JsonObject }

type Known = { readonly names: readonly string[]; readonly hint: string }

/** Whether an object has only known keys. The hint says what to write in place of an unknown one. */
function hasOnly(reading: DocumentReading, { names, hint }: Known, { path, value }: LocatedObject): boolean {
  const stray = Object.keys(value)
    .find((name) => !names.includes(name))
    ?.slice(0, STRAY_CHARS_MAX)
  if (stray === undefined || !reading.isJudged) return true
  const at = reading.kind === 'filter' ? path : pathTo(path, stray)
  return refusePart(reading, at, `unknown key \`${stray}\`; ${hint}`)
}

const STRAY_CHARS_MAX = 50

function fitsKeys(reading: DocumentReading, keys: DocumentKeys, { path, value }: LocatedObject): boolean {
  const flawed = Object.entries(keys).filter(([name, { use, shape }]) => {
    const part = value[name]
    if (part === undefined && use !== 'required') return false
    if (part === null && use === 'nullable') return false
    return !fits(reading, shape, { path: pathTo(path, name), value: part })
  })
  return flawed.length === 0
}

function fitsForms(
  reading: DocumentReading,
  forms: Readonly<Record<string, DocumentForm>>,
  { path, value }: Located,
): boolean {
  const whole = isJsonObject(value) ? value : {}
  const [name, ...more] = Object.keys(whole).filter((key) => Object.hasOwn(forms, key))
  const form = name === undefined ? undefined : forms[name]
  if (name === undefined || form === undefined || more.length > 0) {
    return refusePart(reading, path, `it must be an object with one key of ${Object.keys(forms).join(', ')}`)
  }
  const { shape, beside = {}, compares } = form
  const others = [...Object.keys(beside), ...(compares === undefined ? [] : ['is', 'value'])]
  const known = { names: [name, ...others], hint: hintOf(name, others) }
  if (!hasOnly(reading, known, { path, value: whole })) return false
  const isFine = fits(reading, shape, { path: pathTo(path, name), value: whole[name] })
  const areFine = fitsKeys(reading, beside, { path, value: whole }) && isFine
  if (compares === undefined) return areFine
  const operators = operatorsFor(compares, whole[name])
  return operators !== undefined && fitsComparison(reading, operators, { path, value: whole }) && areFine
}

function hintOf(name: string, others: readonly string[]): string {
  if (others.includes('is')) return 'write `"is": "eq", "value": …`'
  return others.length === 0 ? `${name} stands alone` : `beside ${name} write ${others.join(', ')}`
}

function operatorsFor(
  compares: Readonly<Record<string, DocumentOperators>>,
  value: unknown,
): DocumentOperators | undefined {
  const name = typeof value === 'string' && Object.hasOwn(compares, value) ? value : '*'
  return compares[name]
}

function fitsComparison(
  reading: DocumentReading,
  operators: DocumentOperators,
  { path, value: whole }: LocatedObject,
): boolean {
  const { is, value } = whole
  const shape = typeof is === 'string' && Object.hasOwn(operators, is) ? operators[is] : undefined
  const at = pathTo(path, 'value')
  if (shape === undefined) {
    return refusePart(reading, pathTo(path, 'is'), `it must be one of ${Object.keys(operators).join(', ')}`)
  }
  if (shape !== null) return fits(reading, shape, { path: at, value })
  return !reading.isJudged || value === undefined || refusePart(reading, at, `${String(is)} takes no value`)
}

function fitsNamed(reading: DocumentReading, name: string, at: Located): boolean {
  const row = reading.documents[name]
  if (row === undefined) throw new Error(`there is no document ${name}`)
  const isOutermost = row.kind !== reading.kind
  const outer = isOutermost
    ? { ...startReading(reading.documents, { ...reading, kind: row.kind }), faults: reading.faults }
    : reading
  if (row.limits === undefined) return fits(outer, row.shape, at)
  const inner = { ...outer, depth: outer.depth + 1 }
  const { visited } = inner
  const { nodesMax, depthMax } = row.limits
  visited.nodes += 1
  visited.isTooMany = inner.isJudged && visited.nodes > nodesMax
  if (visited.isTooMany) {
    return refusePart(inner, at.path, `a ${row.kind} may have at most ${nodesMax} nodes`)
  }
  if (inner.isJudged && inner.depth > depthMax) {
    return refusePart(inner, at.path, `a ${row.kind} may be at most ${depthMax} levels deep`)
  }
  return fits(inner, row.shape, at)
}
