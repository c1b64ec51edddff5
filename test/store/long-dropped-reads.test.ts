import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportEventFiles } from '../../src/intake/event-files/export.ts'
import { showDroppedOf } from '../../src/intake/event-files/show-dropped.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { saveBackup } from '../../src/store/backup/backup.ts'
import { moveAfterMerge } from '../../src/store/people/merge-moving.ts'
import { openColdDatabase } from '../support/events/cold-database.ts'
import { DAY_MS, OLD_WEEK, rawEvent } from '../support/events/frozen.ts'

const { url, database, brand, frozen, cold } = await openColdDatabase()

const EVENTS = 30
/** The events of the person who is merged into another: they are rows until the file is written again. */
const MERGED = 5

/** A brand with events in a file only, which is about to be written again. */
async function changedBrand(): Promise<number> {
  const { brandId } = await brand()
  await frozen.store(
    brandId,
    Array.from({ length: EVENTS }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' })),
  )
  await frozen.round()
  await frozen.drop()
  await cold.asEngine(async (tx) =>
    moveAfterMerge(tx, { brandId, mergeId: 1n, survivorId: 1n, absorbedId: 2n }, 1_000),
  )
  await frozen.untilFree()
  return brandId
}

const LATER = 8 * DAY_MS
const AN_HOUR_LATER = LATER + 2 * EVENT_FILE_LIMITS.replacedForMs

/** Writes the changed file again, and lets a round look for files to remove when the hour of replaced ones is over. */
async function replaceFile(brandId: number): Promise<void> {
  await frozen.once(LATER)
  const { count } = await database.query('select from replaced_event_files where brand_id = $1', [brandId])
  assert.equal(count, 1)
  await frozen.once(AN_HOUR_LATER)
}

/** The replaced file was there for the reader, and the next round after that removes it. */
async function goesAfterIt(brandId: number): Promise<void> {
  const ours = async (): Promise<number> =>
    (await frozen.names()).filter((name) => name.startsWith(`brand=${brandId}/`)).length
  assert.equal(await ours(), 2)
  await frozen.once(AN_HOUR_LATER)
  assert.equal(await ours(), 1)
}

test('a backup that takes over an hour reads the files of its instant, which go after it', async () => {
  const brandId = await changedBrand()
  const folder = await mkdtemp(join(tmpdir(), 'beckon-long-'))
  const showDropped = showDroppedOf(frozen.eventFiles)
  let shown = 0
  await saveBackup(url, {
    file: join(folder, 'backup'),
    files: [],
    now: Date.now(),
    onProgress: () => undefined,
    showDropped: async function* (session, table) {
      if (table.endsWith(OLD_WEEK.table)) await replaceFile(brandId)
      for await (const _ of showDropped(session, table)) {
        const { rows } = await session.query<{ count: number }>(
          'select count(*)::integer as count from pg_temp.cold_events',
        )
        shown += rows[0]?.count ?? 0
        yield
      }
    },
  })
  await rm(folder, { recursive: true })
  assert.equal(shown, EVENTS - MERGED)
  await goesAfterIt(brandId)
})

/** Lets something happen before it reads the files of a week, as if the weeks before it had taken long. */
class SlowDuckDb extends DuckDbProcess {
  meanwhile = async (): Promise<void> => undefined

  override async alone<Value>(work: () => Promise<Value>): Promise<Value> {
    await this.meanwhile()
    return super.alone(work)
  }
}

test('an export that takes over an hour reads the files of its instant, which go after it', async () => {
  const brandId = await changedBrand()
  const folder = await mkdtemp(join(tmpdir(), 'beckon-long-'))
  const plan = { memoryMib: 512, threads: 2, idleMs: 60_000 }
  const duckdb = new DuckDbProcess({ folder, access: 'write', ...plan })
  const slow = new SlowDuckDb({ folder: frozen.folder, access: 'read', ...plan })
  slow.meanwhile = async () => replaceFile(brandId)
  const exported: number[] = []
  await exportEventFiles({
    databaseUrl: url,
    brandId,
    folder,
    duckdb,
    dropped: { folder: frozen.folder, cache: null, duckdb: slow },
    onWeek: ({ events }) => exported.push(events),
  })
  await duckdb.close()
  await slow.close()
  await rm(folder, { recursive: true })
  assert.deepEqual(exported, [EVENTS])
  await goesAfterIt(brandId)
})
