import { type Fault, fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { flawOf, isLonger } from '../../domain/values/text.ts'
import { RESERVED_DATA_KEYS, RESERVED_DATA_PREFIXES } from '../../rules/push.ts'
import { type Field, invalid, wrongType } from './field-type.ts'
import { readText } from './text.ts'

/** A list of texts, each kept once, in the order they came. */
export function readList(
  shape: { readonly itemsMax: number; readonly charsMax: number },
  field: Field,
): Result<readonly string[]> {
  const { path, value } = field
  if (!Array.isArray(value)) return wrongType(field, 'a list of strings')
  if (value.length > shape.itemsMax) {
    return reject(fault('field_too_long', path, { max: shape.itemsMax, unit: 'items', actual: value.length }))
  }
  const items = value.map((item: unknown, at) => readText(shape, { path: `${path}[${at}]`, value: item }))
  const faults = items.flatMap((item) => (item.ok ? [] : item.rejection.faults))
  return settled([...new Set(items.flatMap((item) => (item.ok ? [item.value] : [])))], faults)
}

/** An object of strings. Keys that a provider reserves are refused here, because the provider would refuse the message. */
export function readStrings(
  shape: { readonly keysMax: number; readonly keyCharsMax: number },
  field: Field,
): Result<Readonly<Record<string, string>>> {
  const { path, value } = field
  if (!isJsonObject(value)) return wrongType(field, 'an object of strings')
  const entries = Object.entries(value)
  if (entries.length > shape.keysMax) {
    return reject(fault('field_too_long', path, { max: shape.keysMax, unit: 'keys', actual: entries.length }))
  }
  const texts: [string, string][] = []
  const faults: Fault[] = []
  for (const [key, item] of entries) {
    const text = readEntry(shape.keyCharsMax, field, { key, item })
    if (text.ok) texts.push([key, text.value])
    else faults.push(...text.rejection.faults)
  }
  return settled(Object.fromEntries(texts), faults)
}

function readEntry(
  keyCharsMax: number,
  field: Field,
  { key, item }: { readonly key: string; readonly item: unknown },
): Result<string> {
  if (key === '' || isLonger(key, keyCharsMax)) {
    return invalid(field, `a key must have 1 to ${keyCharsMax} characters`)
  }
  const keyFlaw = flawOf(key)
  if (keyFlaw !== null) return invalid(field, `the name of a key is not valid: ${keyFlaw}`)
  if (isReserved(key)) return invalid(field, `the key ${key} is reserved`)
  const path = `${field.path}.${key}`
  if (typeof item !== 'string') return wrongType({ path, value: item }, 'a string')
  const flaw = flawOf(item)
  return flaw === null ? accept(item) : invalid({ path, value: item }, flaw)
}

const RESERVED = new Set<string>(RESERVED_DATA_KEYS)

function isReserved(key: string): boolean {
  return RESERVED.has(key) || RESERVED_DATA_PREFIXES.some((prefix) => key.startsWith(prefix))
}

function settled<Value>(value: Value, faults: readonly Fault[]): Result<Value> {
  const [first, ...others] = faults
  return first === undefined ? accept(value) : reject(first, ...others)
}
