import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'

/** A bound of time in the query of a list; null when absent. A date alone is its first moment in UTC. */
export function parseTimeBound(field: string, text: string | undefined): Result<number | null> {
  if (text === undefined) return accept(null)
  const at = ISO_INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return accept(at)
  return reject(fault('field_invalid', field, { detail: 'write it as 2026-03-29T12:00:00Z' }))
}

const ISO_INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/i
