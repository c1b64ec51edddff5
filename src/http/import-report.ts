import type { Fault } from '../domain/fault.ts'
import type { Rejection } from '../domain/result.ts'
import { IMPORT_LIMITS } from '../rules/import-limits.ts'

/** What an import has come to so far. `rows` is how many were read; each was imported, updated or refused. */
export type ImportReport = {
  readonly rows: number
  readonly imported: number
  readonly updated: number
  readonly refused: number
  /** The first refused rows, with the line each stood on. */
  readonly refusals: readonly Refusal[]
}

export type Refusal = Fault & { readonly line: number }

export const EMPTY_REPORT: ImportReport = { rows: 0, imported: 0, updated: 0, refused: 0, refusals: [] }

/** What one batch adds. */
export type BatchReport = {
  readonly imported: number
  readonly updated: number
  readonly refusals: readonly Refusal[]
}

export function addBatch(report: ImportReport, { imported, updated, refusals }: BatchReport): ImportReport {
  const sorted = refusals.toSorted((one, two) => one.line - two.line)
  return {
    rows: report.rows + imported + updated + refusals.length,
    imported: report.imported + imported,
    updated: report.updated + updated,
    refused: report.refused + refusals.length,
    refusals: [...report.refusals, ...sorted].slice(0, IMPORT_LIMITS.refusalsMax),
  }
}

export function refusalOf(line: number, { faults: [first] }: Rejection): Refusal {
  return { line, ...first }
}
