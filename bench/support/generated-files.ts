import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { decimalFor, fileColumnName } from '../../src/domain/events/file-columns.ts'
import { firstIdAt, WEEK_MS, weekDay, weekOf } from '../../src/domain/events/week.ts'
import { EVENT_FILE_VERSION } from '../../src/rules/event-files.ts'
import type { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import type { Database } from '../../src/store/db.ts'
import { duckName, duckText } from '../../src/store/event-files/duck-sql.ts'
import { type FrozenFile, saveWeekFiles } from '../../src/store/event-files/manifest.ts'
import { PEOPLE } from './analytics-seed.ts'

type GeneratedFiles = {
  readonly database: Database
  /** A DuckDB that may write to the folder. */
  readonly duckdb: DuckDbProcess
  readonly folder: string
  readonly brandId: number
  readonly events: number
  readonly people: number
  readonly weeks: number
}

/** About the events of a file that freezing makes. */
const FILE_EVENTS = 200_000
const STATEMENT = { timeoutMs: 600_000, rowsMax: 10 } as const
const COLUMNS = {
  sku: fileColumnName({ kind: 'string', attribute: 'sku' }),
  total: fileColumnName({ kind: 'number', attribute: 'total' }),
  gift: fileColumnName({ kind: 'boolean', attribute: 'gift' }),
}
/** As PostgreSQL writes it. */
const CONTEXT = `'{"os": {"name": "' || ['android', 'ios', 'web'][1 + h // 19 % 3] || '"}, "app": {"version": "4.' || h // 23 % 4 || '"}}'`
const NUMBER = decimalFor({ whole: 3, scale: 2 })

/**
 * Files of frozen weeks whose events never were rows, with values as `seedAnalytics` makes them: rows of so many events would take
 * longer to write than all questions take. The last week ended two weeks ago.
 */
export async function generateFiles(order: GeneratedFiles): Promise<{ readonly bytes: number }> {
  const { database, brandId, events, weeks } = order
  const endsAt = weekOf(Date.now() - 2 * WEEK_MS).startsAt
  const perWeek = Math.floor(events / weeks)
  let bytes = 0
  await savePeople(order)
  for (let number = 0; number < weeks; number += 1) {
    const week = weekOf(endsAt - (weeks - number) * WEEK_MS)
    const range = { brandId, firstId: week.firstId, endId: week.endId }
    const count = number === weeks - 1 ? events - perWeek * (weeks - 1) : perWeek
    const files: FrozenFile[] = []
    for (let first = 0; first < count; first += FILE_EVENTS) {
      const part = { from: first, to: Math.min(first + FILE_EVENTS, count), count, seed: number * perWeek }
      files.push(await generateFile(order, week.startsAt, part))
    }
    bytes += files.reduce((sum, file) => sum + file.bytes, 0)
    await database.asEngine(async (tx) => {
      await tx.query('insert into event_file_weeks (brand_id, first_id, end_id) values ($1, $2, $3)', [
        brandId,
        range.firstId,
        range.endId,
      ])
      await saveWeekFiles(tx, { range, files, fence: '1', now: Date.now() })
    })
  }
  // Nothing else has these events. Questions about them have the time that those about dropped events have.
  await database.asEngine(async (tx) =>
    tx.query('update event_files set is_alone = true where brand_id = $1', [brandId]),
  )
  return { bytes }
}

async function savePeople({ database, brandId, people }: GeneratedFiles): Promise<void> {
  for (let first = 0; first < people; first += PEOPLE_PART)
    await database.asEngine(async (tx) =>
      tx.query(PEOPLE, [brandId, first + 1, Math.min(first + PEOPLE_PART, people)]),
    )
}

/** Few enough for the time limit of a statement. */
const PEOPLE_PART = 50_000

type Part = { readonly from: number; readonly to: number; readonly count: number; readonly seed: number }

async function generateFile(
  { duckdb, folder, brandId, people }: GeneratedFiles,
  startsAt: number,
  { from, to, count, seed }: Part,
): Promise<FrozenFile> {
  const path = `brand=${brandId}/week=${weekDay({ startsAt })}/events-${from}.parquet`
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const instant = (place: number): number => startsAt + Math.floor((WEEK_MS * place) / count)
  await duckdb.run(
    {
      sql: `copy (
        select ms * 2097152 + n % 2097152 as id, 1 + h % ${people} as profile_id,
          make_timestamp((ms - h % 60000) * 1000) as event_at, 'event_' || least(h // 7 % 10, h // 77 % 10) as event_name,
          (h % 100)::DECIMAL(18, 0) as ltv, false as is_before_creation, false as is_from_browser,
          null::VARCHAR as event_id, null::BIGINT as source_profile_id, ${CONTEXT} as context,
          null::VARCHAR as mistyped, null::VARCHAR as attributes, 'sku-' || h // 13 % 12 as ${duckName(COLUMNS.sku)},
          ((h // 17 % 10000) / 100)::${NUMBER} as ${duckName(COLUMNS.total)}, h % 5 = 0 as ${duckName(COLUMNS.gift)}
        from (select n, ${startsAt} + ${WEEK_MS} * n // ${count} as ms, (hash(n + ${seed}) >> 33)::BIGINT as h
          from range(${from}, ${to}) as numbers (n))
        order by event_name, event_at, id
      ) to ${duckText(file)} (format parquet, compression zstd, parquet_version v2, row_group_size 122880,
        kv_metadata { beckon_event_file: '${EVENT_FILE_VERSION}' })`,
    },
    STATEMENT,
  )
  const [sums] = await duckdb.run(
    {
      sql: `select count(*)::varchar, sum(ltv)::varchar, sum(profile_id)::varchar, sum(id)::varchar, min(event_at)::varchar,
        max(event_at)::varchar from read_parquet(${duckText(file)})`,
    },
    STATEMENT,
  )
  const [counted = '', ltv = '', profiles = '', ids = '', leastEventAt = '', greatestEventAt = ''] =
    sums?.map(String) ?? []
  return {
    brandId,
    path,
    firstId: firstIdAt(instant(from)),
    endId: to === count ? firstIdAt(startsAt + WEEK_MS) : firstIdAt(instant(to)),
    bytes: (await stat(file)).size,
    // Nobody compares these files with anything.
    sha256: '0'.repeat(64),
    sums: { count: counted, ltv, profiles, ids },
    leastEventAt,
    greatestEventAt,
    columns: Object.values(COLUMNS),
  }
}
