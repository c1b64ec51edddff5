import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, test } from 'node:test'
import { firstIdAt } from '../../src/domain/events/week.ts'
import { freshDatabase } from '../support/database/database.ts'
import { askFiles, withExport } from '../support/events/exported.ts'
import { until } from '../support/until.ts'

const NOW = Date.parse('2026-11-04T12:00:00Z')
const { url, database, brand, drop } = await freshDatabase()
after(drop)

async function storeLarge(brandId: number): Promise<void> {
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select $2::bigint + n, n % 7 + 1, to_timestamp(n), $1, false, 'large', n, jsonb_build_object('n', n, 'text', repeat('x', 16000))
     from generate_series(1, 8000) as n`,
    [brandId, firstIdAt(NOW)],
  )
}

async function assertLarge(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true })
  assert.ok(files.filter((name) => name.includes('events-')).length >= 3, files.join())
  assert.ok(!files.some((name) => name.endsWith('.part')))
  const sums =
    await askFiles(`select count(*)::integer as count, count(distinct id)::integer as ids, sum(ltv)::integer as ltv
    from read_parquet('${folder}/week=*/*.parquet')`)
  assert.deepEqual(sums, [{ count: 8_000, ids: 8_000, ltv: 32_004_000 }])
}

test('a week that is too large for one file is in several, with each event once', async () => {
  const { brandId } = await brand()
  await storeLarge(brandId)
  await withExport({ url, brandId }, assertLarge)
})

test('a DuckDB that ends while it writes a file, as one without memory does, is replaced, and the file is whole', async () => {
  const { brandId } = await brand()
  await storeLarge(brandId)
  await withExport({ url, brandId }, assertLarge, async (duckdb, folder) => {
    const isWriting = async (): Promise<boolean> =>
      (await readdir(folder, { recursive: true })).some((name) => name.endsWith('.parquet.part'))
    await until(isWriting, { what: 'a file that is being written' })
    process.kill(duckdb.pid ?? assert.fail('no process'), 'SIGABRT')
  })
})
