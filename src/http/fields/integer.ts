import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { type Field, wrongType } from './field-type.ts'

type Range = { readonly min: bigint; readonly max: bigint; readonly unit?: string }

/**
 * An exact integer, as a JSON integer or a string of digits (decisions §2). A number above 2^53 that was written with a
 * point or an exponent may have lost digits when it was parsed, so it is refused as out of range. A fraction is refused
 * as a wrong type.
 */
export function readInteger(range: Range, field: Field): Result<bigint> {
  const exact = exactInteger(field.value)
  if (exact !== null) return exact < range.min || exact > range.max ? outside(range, field) : accept(exact)
  if (typeof field.value === 'number' && Math.abs(field.value) > Number.MAX_SAFE_INTEGER) {
    return outside(range, field)
  }
  return wrongType(field, 'a whole number, as an integer or as a string of digits')
}

const DIGITS = /^-?\d{1,20}$/u

function exactInteger(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  return typeof value === 'string' && DIGITS.test(value) ? BigInt(value) : null
}

function outside({ min, max, unit = '' }: Range, { path }: Field): Result<never> {
  return reject(fault('field_out_of_range', path, { min, max, unit }))
}
