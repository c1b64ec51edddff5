import assert from 'node:assert/strict'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AttributeCondition } from '../../src/domain/segments/segment.ts'
import { exportEventFiles } from '../../src/intake/event-files/export.ts'
import { showDroppedOf } from '../../src/intake/event-files/show-dropped.ts'
import { TooManyDropped } from '../../src/intake/event-files/too-many-dropped.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { saveBackup } from '../../src/store/backup/backup.ts'
import { checkBackup, loadBackup } from '../../src/store/backup/restore.ts'
import { Binds } from '../../src/store/bind.ts'
import { withOwner } from '../../src/store/db.ts'
import { anyEvents, type EventNeed, needing } from '../../src/store/event-needs.ts'
import { peopleSql } from '../../src/store/events/filter.ts'
import { listEvents } from '../../src/store/events/list.ts'
import { moveAfterMerge } from '../../src/store/people/merge-moving.ts'
import { isAway, isUnavailable } from '../../src/store/unavailable.ts'
import { freshDatabase } from '../support/database/database.ts'
import { openColdDatabase } from '../support/events/cold-database.ts'
import { DAY_MS, rawEvent } from '../support/events/frozen.ts'

const { url, database, brand, frozen, cold } = await openColdDatabase()

/** The rows of a brand, to the last character. */
async function rowsOf(brandId: number): Promise<readonly string[]> {
  const { rows } = await database.query<{ text: string }>(
    'select e::text as text from events as e where brand_id = $1 order by id',
    [brandId],
  )
  return rows.map(({ text }) => text)
}

const ALL = {
  userId: null,
  eventName: null,
  fromAt: 0,
  toAt: Date.now() + 86_400_000,
  attribute: null,
  groups: null,
  people: null,
  where: [],
  mistyped: null,
  now: Date.now(),
} as const

test('rows that a file gives back as they were are dropped, and read from it', async () => {
  const { brandId } = await brand()
  const events = Array.from({ length: 40 }, (_, place) =>
    rawEvent(place, {
      attributes:
        place % 10 === 0
          ? '{"total": 2.50}'
          : `{"sku": "A ${place} \\"ü\\" 😀 \\t\\r\\n\\\\N\\n\\\\.\\n", "total": ${place}.25, "Sku": true}`,
      name: place % 10 === 2 ? 'a\tb\\N\n\\.\n' : 'see',
      context: place % 10 === 3 ? '{"os": {"name": "a\\tb\\\\"}}' : null,
      ltv: place % 10 === 1 ? '3.10' : '3.1',
    }),
  )
  await frozen.store(brandId, events)
  const list = async (of: typeof database) =>
    of.asBrand(brandId, async (tx) => listEvents(tx, { ...ALL, brandId }, { before: null, limit: 100 }))
  const before = await rowsOf(brandId)
  const wanted = await list(cold)
  assert.equal(wanted.rows.length, 40)
  await frozen.round()
  await frozen.drop()
  assert.equal((await rowsOf(brandId)).length, 8, 'the rows with zeros at the end of a number stay')
  assert.deepEqual(await list(cold), wanted)
  assert.equal((await list(database)).rows.length, 8)
  const thawed = await cold.asEngine(async (tx) => {
    await listEvents(tx, { ...ALL, brandId }, { before: null, limit: 100 })
    const { rows } = await tx.query<{ text: string }>(
      'select e::text as text from events as e where brand_id = $1 order by id',
      [brandId],
    )
    return rows.map(({ text }) => text)
  })
  assert.deepEqual(thawed, before)
  assert.deepEqual(frozen.lines, [])
})

/** A brand with events in a week whose rows are dropped. */
async function droppedBrand(
  count = 30,
): Promise<{ readonly brandId: number; readonly before: readonly string[] }> {
  const { brandId } = await brand()
  const events = Array.from({ length: count }, (_, place) =>
    rawEvent(place, { attributes: `{"sku": "A-${place % 4}", "total": ${place}.25}` }),
  )
  await frozen.store(brandId, events)
  const before = await rowsOf(brandId)
  await frozen.round()
  await frozen.drop()
  assert.deepEqual(await rowsOf(brandId), [])
  return { brandId, before }
}

test('a merge makes rows of a person again, and the next rewriting drops them', async () => {
  const { brandId } = await droppedBrand()
  await cold.asEngine(async (tx) =>
    moveAfterMerge(tx, { brandId, mergeId: 1n, survivorId: 1n, absorbedId: 2n }, 1_000),
  )
  const moved = await rowsOf(brandId)
  assert.equal(moved.length, 5)
  await frozen.round(8 * DAY_MS)
  assert.deepEqual(await rowsOf(brandId), [])
  const { rows } = await cold.asEngine(async (tx) =>
    tx.query<{ text: string }>(
      'select e::text as text from events as e where brand_id = $1 and source_profile_id = 2 order by id',
      needing([brandId], anyEvents(brandId)),
    ),
  )
  assert.deepEqual(
    rows.map(({ text }) => text),
    moved,
  )
})

test('a file that was replaced stays for an hour, and goes then', async () => {
  const { brandId } = await droppedBrand()
  const ours = async (): Promise<readonly string[]> =>
    (await frozen.names()).filter((name) => name.startsWith(`brand=${brandId}/`))
  const [old = ''] = await ours()
  await cold.asEngine(async (tx) =>
    moveAfterMerge(tx, { brandId, mergeId: 1n, survivorId: 1n, absorbedId: 2n }, 1_000),
  )
  const later = 8 * DAY_MS
  await frozen.round(later)
  assert.equal((await ours()).length, 2)
  await frozen.round(later + 2 * 3_600_000)
  assert.equal((await ours()).length, 1)
  assert.notEqual((await ours())[0], old)
})

test('a lost file without rows is an error that stays, and never a week that is frozen anew', async () => {
  const { brandId } = await droppedBrand()
  const { rows } = await database.query<{ path: string }>(
    'select path from event_files where brand_id = $1',
    [brandId],
  )
  const path = join(frozen.folder, rows[0]?.path ?? '')
  await rename(path, `${path}.away`)
  frozen.lines.length = 0
  await frozen.round()
  assert.match(frozen.lines.join(''), /the only copy of their events are missing/)
  const need = needing([brandId], anyEvents(brandId))
  await assert.rejects(
    cold.asEngine(async (tx) => tx.query('select from events where brand_id = $1', need)),
    (cause) => isUnavailable(cause) && !isAway(cause),
  )
  await rename(`${path}.away`, path)
  const { count } = await cold.asEngine(async (tx) =>
    tx.query('select from events where brand_id = $1', need),
  )
  assert.equal(count, 30)
  frozen.lines.length = 0
})

test('a statement that would bring events for too long, or too many of them, is refused', async () => {
  const { brandId } = await droppedBrand()
  const all = needing([brandId], anyEvents(brandId))
  const refusal = async (bounds: Parameters<typeof frozen.openCold>[0], values = all): Promise<string> => {
    const narrow = frozen.openCold(bounds)
    const asked = narrow.query('select from events where brand_id = $1', values)
    const told = await asked.then(
      () => '',
      (cause: unknown) => (cause instanceof TooManyDropped ? cause.message : String(cause)),
    )
    await narrow.close()
    return told
  }
  assert.match(await refusal({ bringMsMax: 0 }), /needs up to 30 events .* within 0 seconds/)
  assert.match(
    await refusal({ bringMax: 29 }),
    /needs 30 events .* at most 29 /,
    'counted before the first page',
  )
  assert.equal(await refusal({ bringMax: 30 }), '')
  const named = (name: string): EventNeed => ({ ...anyEvents(brandId), names: [name] })
  const apart = needing(needing([brandId], named('see')), named('buy'))
  assert.match(await refusal({ bringMax: 29 }, apart), /needs 30 events/, 'all needs of a statement together')
  assert.equal(await refusal({ bringMax: 30 }, apart), '')
})

test('an export and a backup have the events without rows', async () => {
  const { brandId, before } = await droppedBrand()
  const folder = await mkdtemp(join(tmpdir(), 'beckon-dropped-'))
  const duckdb = new DuckDbProcess({ folder, memoryMib: 512, threads: 2, access: 'write', idleMs: 60_000 })
  const exported: number[] = []
  await exportEventFiles({
    databaseUrl: url,
    brandId,
    folder,
    duckdb,
    dropped: frozen.eventFiles,
    onWeek: ({ events }) => exported.push(events),
  })
  await duckdb.close()
  assert.deepEqual(exported, [30])
  const file = join(folder, 'backup')
  const showDropped = showDroppedOf(frozen.eventFiles)
  await saveBackup(url, { file, files: [], now: Date.now(), onProgress: () => undefined, showDropped })
  const target = await freshDatabase()
  const head = await checkBackup(file)
  await loadBackup(target.url, { file, head, onProgress: () => undefined, isHeld: false })
  const restored = await withOwner(target.url, async (owner) => {
    await owner.query('begin; set local role beckon_engine')
    return owner.query<{ text: string }>(
      'select e::text as text from events as e where brand_id = $1 order by id',
      [brandId],
    )
  })
  assert.deepEqual(
    restored.rows.map(({ text }) => text),
    before,
  )
  await target.drop()
  await rm(folder, { recursive: true })
})

/** The looks of both readers together that must fall into the rounds. */
const LOOKS = 20

test('readers see every event once while rows are dropped, brought back and dropped again', async () => {
  const { brandId } = await brand()
  await frozen.store(
    brandId,
    Array.from({ length: 300 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' })),
  )
  await frozen.round()
  const work = { isOver: false, looks: 0 }
  const reader = async (): Promise<void> => {
    for (; !work.isOver; work.looks += 1) {
      const { rows } = await cold.asEngine(async (tx) =>
        tx.query<{ count: number; people: number }>(
          'select count(*)::integer as count, count(distinct id)::integer as people from events where brand_id = $1',
          needing([brandId], { ...anyEvents(brandId), isBare: true }),
        ),
      )
      assert.deepEqual(rows, [{ count: 300, people: 300 }])
    }
  }
  // A reader that fails looks no more, so it ends the rounds.
  const end = (): void => {
    work.isOver = true
  }
  const looking = Promise.all([reader(), reader()]).finally(end)
  const dropping = async (): Promise<void> => {
    await frozen.drop()
    for (let round = 1; !work.isOver && (round <= 3 || work.looks <= LOOKS); round += 1) {
      // The events of two people go from one to the other and back.
      const [absorbedId, survivorId] = round % 2 === 1 ? ([1n, 7n] as const) : ([7n, 1n] as const)
      await cold.asEngine(async (tx) =>
        moveAfterMerge(tx, { brandId, mergeId: BigInt(round), survivorId, absorbedId }, 1_000),
      )
      await frozen.drop(round * 8 * DAY_MS)
    }
  }
  await Promise.all([looking, dropping().finally(end)])
  assert.deepEqual(await rowsOf(brandId), [])
})

/** How many events of each kind a segment with a condition on them brings from the files. */
async function broughtFor(brandId: number, where: readonly AttributeCondition[]): Promise<readonly object[]> {
  const filter = {
    kind: 'event',
    event: 'see',
    count: { is: 'gte', value: 1 },
    withinDays: null,
    where,
  } as const
  return cold.asEngine(async (tx) => {
    const binds = new Binds()
    const found = peopleSql({ brandId, people: filter, now: Date.now() }, binds)
    await tx.query(found, binds.values)
    const { rows } = await tx.query<object>(
      `select attributes ->> 'sku' as sku, count(*)::integer as count from pg_temp.cold_events group by 1 order by 1`,
    )
    return rows
  })
}

const IS_A1: AttributeCondition = {
  kind: 'attribute',
  attribute: 'sku',
  comparison: { kind: 'equality', is: 'eq', value: 'A-1' },
}

test('a segment with a condition on events brings those that meet it', async () => {
  const { brandId } = await droppedBrand()
  assert.deepEqual(await broughtFor(brandId, [IS_A1]), [{ sku: 'A-1', count: 6 }])
  const since = { kind: 'recency', days: 3 } as const
  const date: AttributeCondition = { kind: 'attribute', attribute: 'total', comparison: since }
  assert.deepEqual(await broughtFor(brandId, [IS_A1, date]), [{ sku: 'A-1', count: 6 }])
  assert.equal((await broughtFor(brandId, [date])).length, 4, 'PostgreSQL tells dates')
})

test('a value that DuckDB cannot compare brings all events of the name', async () => {
  const { brandId } = await brand()
  const events = [1, 2, 4].map((place) =>
    rawEvent(place, { attributes: place === 4 ? '{"sku": {"deep": 1}}' : `{"sku": "A-${place}"}` }),
  )
  await frozen.store(brandId, events)
  await frozen.round()
  await frozen.drop()
  assert.deepEqual(await rowsOf(brandId), [])
  assert.equal((await broughtFor(brandId, [IS_A1])).length, 3)
})
