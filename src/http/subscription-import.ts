import type { Registration } from '../domain/subscription.ts'
import type { Warning } from '../domain/warning.ts'
import { IMPORT_LIMITS } from '../rules/import-limits.ts'
import type { Platform } from '../rules/platforms.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Database } from '../store/db.ts'
import { saveRegistrations } from '../store/registrations.ts'
import { addBatch, EMPTY_REPORT, type ImportReport, type Refusal, refusalOf } from './import-report.ts'
import type { ListRow } from './list-row.ts'
import { isObject } from './schema-walk.ts'
import { parseSubscriptionBody } from './wire/subscription-body.ts'

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

export type Import = {
  readonly database: Database
  readonly clock: Clock
  readonly brandId: number
  readonly pushHosts: ReadonlySet<string>
  /** For rows that name none. */
  readonly platform: Platform | null
  readonly rows: AsyncIterable<ListRow>
}

export const EMPTY_REPORT: ImportReport = {
  rows: 0,
  imported: 0,
  updated: 0,
  refused: 0,
  refusals: [],
  warnings: [],
}

/** Stores a list batch by batch, in the order of its rows, and tells after each how far it is. */
export async function* importSubscriptions(list: Import): AsyncGenerator<ImportReport> {
  let report = EMPTY_REPORT
  let batch = emptyBatch()
  for await (const row of list.rows) {
    judgeRow(list, row, batch)
    if (batch.accepted.length + batch.refusals.length < IMPORT_LIMITS.batchRows) continue
    report = await saveBatch(list, batch, report)
    batch = emptyBatch()
    yield report
  }
  yield await saveBatch(list, batch, report)
}

type Accepted = { readonly line: number; readonly registration: Registration }

/** Filled row by row, and thrown away whole. */
type Batch = {
  readonly accepted: Accepted[]
  readonly refusals: Refusal[]
  /** By field and code. */
  readonly warnings: Map<string, Warning>
}

function emptyBatch(): Batch {
  return { accepted: [], refusals: [], warnings: new Map() }
}

function judgeRow({ pushHosts, platform }: Import, { line, body }: ListRow, batch: Batch): void {
  if (!body.ok) {
    batch.refusals.push(refusalOf(line, body.rejection))
    return
  }
  const parsed = parseSubscriptionBody(withPlatform(body.value, platform), pushHosts)
  if (!parsed.ok) {
    batch.refusals.push(refusalOf(line, parsed.rejection))
    return
  }
  const { registration, warnings } = parsed.value
  batch.accepted.push({ line, registration })
  if (batch.warnings.size < IMPORT_LIMITS.warningsMax) note(batch.warnings, warnings)
}

function note(noted: Map<string, Warning>, warnings: readonly Warning[]): void {
  for (const warning of warnings) noted.set(`${warning.code} ${warning.field}`, warning)
}

function withPlatform(body: unknown, platform: Platform | null): unknown {
  return platform === null || !isObject(body) ? body : { platform, ...body }
}

async function saveBatch(list: Import, batch: Batch, report: ImportReport): Promise<ImportReport> {
  const { brandId, clock } = list
  const registrations = batch.accepted.map(({ registration }) => registration)
  const outcomes =
    registrations.length === 0
      ? []
      : await list.database.asBrand(brandId, async (tx) =>
          saveRegistrations(tx, { brandId, registrations, now: clock.now(), source: 'list' }),
        )
  const conflicts = outcomes.flatMap((outcome, at) => {
    const line = batch.accepted[at]?.line ?? 0
    return outcome.kind === 'refused' ? [{ line, ...outcome.fault }] : []
  })
  const warnings = new Map(batch.warnings)
  note(warnings, report.warnings)
  const refusals = [...batch.refusals, ...conflicts].toSorted((one, two) => one.line - two.line)
  return {
    rows: report.rows + batch.accepted.length + batch.refusals.length,
    imported: report.imported + outcomes.filter(({ kind }) => kind === 'new').length,
    updated: report.updated + outcomes.filter(({ kind }) => kind === 'known').length,
    refused: report.refused + refusals.length,
    refusals: [...report.refusals, ...refusals].slice(0, IMPORT_LIMITS.refusalsMax),
    warnings: [...warnings.values()].slice(0, IMPORT_LIMITS.warningsMax),
  }
}

function refusalOf(line: number, { faults: [first] }: Rejection): Refusal {
  return { line, ...first }
  return addBatch(report, {
    imported: outcomes.filter(({ kind }) => kind === 'new').length,
    updated: outcomes.filter(({ kind }) => kind === 'known').length,
    refusals: [...batch.refusals, ...conflicts],
  })
}
