import { fault } from '../../domain/fault.ts'
import { type Result, reject } from '../../domain/result.ts'

/** A field as it stands in a body. `path` is how the caller wrote it, so that a refusal points at the right place. */
export type Field = { readonly path: string; readonly value: unknown }

export function wrongType({ path }: Field, expected: string): Result<never> {
  return reject(fault('field_type', path, { expected }))
}

export function invalid({ path }: Field, detail: string): Result<never> {
  return reject(fault('field_invalid', path, { detail }))
}
