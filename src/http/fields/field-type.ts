import { fault } from '../../domain/fault.ts'
import { type Result, reject } from '../../domain/result.ts'

/** A field of a body. `path` is in the caller's spelling, so that a fault names the right field. */
export type Field = { readonly path: string; readonly value: unknown }

export function wrongType({ path }: Field, expected: string): Result<never> {
  return reject(fault('field_type', path, { expected }))
}

export function invalid({ path }: Field, detail: string): Result<never> {
  return reject(fault('field_invalid', path, { detail }))
}
