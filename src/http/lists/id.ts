import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'

/** An id in the query of a list; null when absent. */
export function parseId(field: string, text: string | undefined): Result<bigint | null> {
  if (text === undefined) return accept(null)
  const id = parseInt64(text)
  return id === null ? reject(fault('field_type', field, { expected: 'a whole number' })) : accept(id)
}
