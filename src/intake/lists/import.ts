import type { Fault } from '../../domain/fault.ts'
import type { Rejection, Result } from '../../domain/result.ts'
import type { Warning } from '../../domain/warning.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'

/** One row of a list that arrives as a stream, and the line it stands on; a row that cannot be read says why. */
export type ListRow = { readonly line: number; readonly body: Result<unknown> }

export type ParsedRow<Value> = { readonly value: Value; readonly warnings: readonly Warning[] }

/** The fate of one row: stored for the first time, stored before, or refused. */
export type RowOutcome =
  | { readonly kind: 'new' | 'known' }
  | { readonly kind: 'refused'; readonly fault: Fault }

export type ListImport<Value> = {
  readonly rows: AsyncIterable<ListRow>
  /** Reads the body of a row. The caller brings it, because the names of fields and columns belong to the API. */
  readonly parse: (body: unknown) => Result<ParsedRow<Value>>
  /** Stores a batch that is not empty, and gives an outcome for each value in the same order. */
  readonly save: (values: readonly Value[]) => Promise<readonly RowOutcome[]>
}

/** The counts of an import so far. `rows` is how many were read; each was imported, updated or refused. */
export type ImportReport = {
  readonly rows: number
  readonly imported: number
  readonly updated: number
  readonly refused: number
  /** The first refused rows, with the line each stood on. */
  readonly refusals: readonly RefusedRow[]
  /** Fields or columns that did nothing, each once however many rows have it. */
  readonly warnings: readonly Warning[]
}

export type RefusedRow = Fault & { readonly line: number }

export const EMPTY_REPORT: ImportReport = {
  rows: 0,
  imported: 0,
  updated: 0,
  refused: 0,
  refusals: [],
  warnings: [],
}

/** Stores a list batch by batch, in the order of its rows, and reports after each batch. */
export async function* importRows<Value>(list: ListImport<Value>): AsyncGenerator<ImportReport> {
  let report = EMPTY_REPORT
  let batch = emptyBatch<Value>()
  for await (const row of list.rows) {
    judgeRow(list, row, batch)
    if (batch.accepted.length + batch.refusals.length < IMPORT_LIMITS.batchRows) continue
    report = await saveBatch(list, batch, report)
    batch = emptyBatch()
    yield report
  }
  yield await saveBatch(list, batch, report)
}

/** Filled row by row, and thrown away whole. */
type Batch<Value> = {
  readonly accepted: { readonly line: number; readonly value: Value }[]
  readonly refusals: RefusedRow[]
  /** By field and code. */
  readonly warnings: Map<string, Warning>
}

function emptyBatch<Value>(): Batch<Value> {
  return { accepted: [], refusals: [], warnings: new Map() }
}

function judgeRow<Value>({ parse }: ListImport<Value>, { line, body }: ListRow, batch: Batch<Value>): void {
  const parsed = body.ok ? parse(body.value) : body
  if (!parsed.ok) {
    batch.refusals.push(refusedRow(line, parsed.rejection))
    return
  }
  const { value, warnings } = parsed.value
  batch.accepted.push({ line, value })
  if (batch.warnings.size < IMPORT_LIMITS.warningsMax) noteWarnings(batch.warnings, warnings)
}

function refusedRow(line: number, { faults: [first] }: Rejection): RefusedRow {
  return { line, ...first }
}

async function saveBatch<Value>(
  { save }: ListImport<Value>,
  { accepted, refusals, warnings }: Batch<Value>,
  report: ImportReport,
): Promise<ImportReport> {
  const outcomes = accepted.length === 0 ? [] : await save(accepted.map(({ value }) => value))
  const refusedBySave = outcomes.flatMap((outcome, at) => {
    const line = accepted[at]?.line ?? 0
    return outcome.kind === 'refused' ? [{ line, ...outcome.fault }] : []
  })
  return addBatch(report, {
    imported: outcomes.filter(({ kind }) => kind === 'new').length,
    updated: outcomes.filter(({ kind }) => kind === 'known').length,
    refusals: [...refusals, ...refusedBySave],
    warnings: [...warnings.values()],
  })
}

function addBatch(report: ImportReport, batch: Omit<ImportReport, 'rows' | 'refused'>): ImportReport {
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
function noteWarnings(noted: Map<string, Warning>, warnings: readonly Warning[]): void {
  for (const warning of warnings) noted.set(`${warning.code} ${warning.field}`, warning)
}
