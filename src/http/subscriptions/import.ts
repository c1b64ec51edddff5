import type { Registration } from '../../domain/subscriptions/subscription.ts'
import type { Warning } from '../../domain/warning.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Database } from '../../store/db.ts'
import { saveRegistrations } from '../../store/subscriptions/registrations.ts'
import {
  addBatch,
  EMPTY_REPORT,
  type ImportReport,
  noteWarnings,
  type Refusal,
  refusalOf,
} from '../lists/import-report.ts'
import type { ListRow } from '../lists/row.ts'
import { isObject } from '../schema/walk.ts'
import { parseSubscriptionBody } from './body.ts'

export type Import = {
  readonly database: Database
  readonly clock: Clock
  readonly brandId: number
  readonly pushHosts: ReadonlySet<string>
  /** For rows that name none. */
  readonly platform: Platform | null
  readonly rows: AsyncIterable<ListRow>
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
  if (batch.warnings.size < IMPORT_LIMITS.warningsMax) noteWarnings(batch.warnings, warnings)
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
  return addBatch(report, {
    imported: outcomes.filter(({ kind }) => kind === 'new').length,
    updated: outcomes.filter(({ kind }) => kind === 'known').length,
    refusals: [...batch.refusals, ...conflicts],
    warnings: [...batch.warnings.values()],
  })
}
