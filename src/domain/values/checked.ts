import { parseInt64 } from './int64.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/**
 * The parts of a document whose shape was checked, by name and type. A part of another type is impossible then, so it
 * is an error of ours.
 */
export function textAt(whole: JsonObject, name: string): string {
  const value = whole[name]
  return typeof value === 'string' ? value : impossible(name)
}

export function numberAt(whole: JsonObject, name: string): number {
  const value = whole[name]
  return typeof value === 'number' ? value : impossible(name)
}

/** An id, which may be written as digits. */
export function int64At(whole: JsonObject, name: string): bigint {
  return parseInt64(whole[name]) ?? impossible(name)
}

/** A number that may be larger than 2^53. */
export function numericAt(whole: JsonObject, name: string): number | bigint {
  const value = whole[name]
  return typeof value === 'number' || typeof value === 'bigint' ? value : impossible(name)
}

export type Scalar = string | number | bigint | boolean

export function scalarAt(whole: JsonObject, name: string): Scalar {
  const value = whole[name]
  return isScalar(value) ? value : impossible(name)
}

export function isScalar(value: unknown): value is Scalar {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}

export function listAt(whole: JsonObject, name: string): readonly unknown[] {
  const value = whole[name]
  return Array.isArray(value) ? value : impossible(name)
}

export function objectAt(whole: JsonObject, name: string): JsonObject {
  const value = whole[name]
  return isJsonObject(value) ? value : impossible(name)
}

export function textsAt(whole: JsonObject, name: string): readonly string[] {
  return listAt(whole, name).map((item) => (typeof item === 'string' ? item : impossible(name)))
}

/** The items of a list of objects. */
export function objectsAt(whole: JsonObject, name: string): readonly JsonObject[] {
  return listAt(whole, name).map((item) => (isJsonObject(item) ? item : impossible(name)))
}

export function wordAt<Word extends string>(whole: JsonObject, name: string, words: readonly Word[]): Word {
  return words.find((word) => word === whole[name]) ?? impossible(name)
}

/** The keys of a table, with their type. */
export function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(table).filter((name): name is Name => Object.hasOwn(table, name))
}

function impossible(name: string): never {
  throw new Error(`${name} of a checked document has another type than its shape`)
}
