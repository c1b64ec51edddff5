import type { Fault } from '../../domain/fault.ts'
import type { Rejection } from '../../domain/result.ts'
import type { Warning } from '../../domain/warning.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'

/** What an import has come to so far. `rows` is how many were read; each was imported, updated or refused. */
export type ImportReport = {
  readonly rows: number
  readonly imported: number
  readonly updated: number
  readonly refused: number
  /** The first refused rows, with the line each stood on. */
  readonly refusals: readonly Refusal[]
  /** Fields or columns that did nothing, each once however many rows have it. */
  readonly warnings: readonly Warning[]
}

export type Refusal = Fault & { readonly line: number }

export const EMPTY_REPORT: ImportReport = {
  rows: 0,
  imported: 0,
  updated: 0,
  refused: 0,
  refusals: [],
  warnings: [],
}

/** What one batch adds. */
export type BatchReport = Omit<ImportReport, 'rows' | 'refused'>

export function addBatch(report: ImportReport, batch: BatchReport): ImportReport {
  const { imported, updated } = batch
  const refusals = batch.refusals.toSorted((one, two) => one.line - two.line)
  const warnings = new Map<string, Warning>()
  noteWarnings(warnings, [...report.warnings, ...batch.warnings])
  return {
    rows: report.rows + imported + updated + refusals.length,
    imported: report.imported + imported,
    updated: report.updated + updated,
    refused: report.refused + refusals.length,
    refusals: [...report.refusals, ...refusals].slice(0, IMPORT_LIMITS.refusalsMax),
    warnings: [...warnings.values()].slice(0, IMPORT_LIMITS.warningsMax),
  }
}

/** Keeps each field and code once. */
export function noteWarnings(noted: Map<string, Warning>, warnings: readonly Warning[]): void {
  for (const warning of warnings) noted.set(`${warning.code} ${warning.field}`, warning)
}

export function refusalOf(line: number, { faults: [first] }: Rejection): Refusal {
  return { line, ...first }
}
