import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import { freezeRange } from '../../src/intake/event-files/freeze.ts'
import type { FreezeTask } from '../../src/intake/event-files/freeze-task.ts'
import { planFreezing } from '../../src/intake/event-files/plan-freezing.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import type { DuckDbOptions } from '../../src/runtime/duckdb/duckdb-child.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { withOwner } from '../../src/store/db.ts'
import { textOf } from '../../src/store/event-files/duck-sql.ts'
import { noteFailedTry } from '../../src/store/event-files/tries.ts'
import { freshDatabase } from '../support/database/database.ts'
import { freezeDeps } from '../support/events/freeze-deps.ts'
import { OLD_WEEK, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
const OPTIONS: DuckDbOptions = {
  folder: frozen.folder,
  memoryMib: 256,
  threads: 1,
  access: 'write',
  idleMs: 600_000,
}
const duckdb = new DuckDbProcess(OPTIONS)
after(async () => {
  await duckdb.close()
  await frozen.close()
  await drop()
})

const EVENTS = 1_300
/** The number of events in a piece while events come in. A part that has no time at all has one piece. */
const PIECE = 500
const shortParts = { url, database, frozen, duckdb, partMsMax: 0 }

async function storeEvents(): Promise<{ readonly brandId: number; readonly ids: readonly bigint[] }> {
  const { brandId } = await brand()
  const events = Array.from({ length: EVENTS }, (_, place) =>
    rawEvent(place, { receivedAt: frozen.oldAt + place }),
  )
  return { brandId, ids: await frozen.store(brandId, events) }
}

/** The task of a brand's week, once it can be frozen. */
async function taskOf(brandId: number, given = freezeDeps(shortParts)): Promise<FreezeTask> {
  let found: FreezeTask | undefined
  await until(
    async () => {
      found = (await planFreezing(given.deps)).find((task) => task.range.brandId === brandId)
      return found !== undefined
    },
    { what: 'the end of older transactions' },
  )
  assert.ok(found !== undefined)
  return found
}

type Listed = { readonly path: string; readonly firstId: bigint; readonly endId: bigint }

async function listed(brandId: number): Promise<readonly Listed[]> {
  const { rows } = await database.query<Listed>(
    'select path, first_id as "firstId", end_id as "endId" from event_files where brand_id = $1 order by first_id',
    [brandId],
  )
  return rows
}

async function isFrozen(brandId: number): Promise<boolean> {
  const { count } = await database.query(
    'select from event_file_weeks where brand_id = $1 and frozen_at is not null',
    [brandId],
  )
  return count === 1
}

type Owned = { readonly id: string; readonly person: string }

/** The events as readers find them: from a file, unless they have changed since, and else from their rows. */
async function readBoth(brandId: number): Promise<readonly Owned[]> {
  const files = await listed(brandId)
  const { rows: changes } = await database.query<{ id: string }>(
    `select event_id::text as id from event_file_changes as c join event_files as f on f.brand_id = c.brand_id
       and c.event_id >= f.first_id and c.event_id < f.end_id and c.tx >= f.fence where c.brand_id = $1`,
    [brandId],
  )
  const changed = new Set(changes.map(({ id }) => id))
  const paths = files.map(({ path }) => `'${join(frozen.folder, path)}'`).join(', ')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const reader = await connection.runAndReadAll(
    `select id::varchar, profile_id::varchar from read_parquet([${paths}], union_by_name = true)`,
  )
  const cold = reader.getRowsJson().map(([id, person]) => ({ id: textOf(id), person: textOf(person) }))
  const hot = (await readRows(brandId)).filter(
    ({ id }) =>
      changed.has(id) || !files.some(({ firstId, endId }) => BigInt(id) >= firstId && BigInt(id) < endId),
  )
  return [...cold.filter(({ id }) => !changed.has(id)), ...hot].toSorted(byId)
}

async function readRows(brandId: number): Promise<readonly Owned[]> {
  const { rows } = await database.query<Owned>(
    'select id::text, profile_id::text as person from events where brand_id = $1',
    [brandId],
  )
  return rows.toSorted(byId)
}

function byId(one: Owned, other: Owned): number {
  return one.id < other.id ? -1 : 1
}

test('a week that takes long is frozen in parts, and each event is in a file or in a row all the while', async () => {
  const { brandId, ids } = await storeEvents()
  const { deps } = freezeDeps(shortParts)
  let task: FreezeTask | null = await taskOf(brandId)
  const parts: number[] = []
  for (let person = 900; task !== null; person += 1) {
    const part = await freezeRange(deps, task)
    assert.ok(part !== null)
    parts.push(part.events)
    task = part.rest
    assert.equal(await isFrozen(brandId), task === null)
    const one = parts.length
    const moved = [ids[one], ids[PIECE + one], ids[EVENTS - 1 - one]]
    await database.query('update events set profile_id = $2 where brand_id = $1 and id = any($3)', [
      brandId,
      person,
      moved,
    ])
    await database.query('delete from events where brand_id = $1 and id = any($2)', [
      brandId,
      [ids[10 + one], ids[EVENTS - 20 - one]],
    ])
    await frozen.store(brandId, [
      rawEvent(2_000 + one, { receivedAt: frozen.oldAt + one }),
      rawEvent(5_000 + one),
    ])
    assert.deepEqual(await readBoth(brandId), await readRows(brandId))
  }
  assert.equal(parts[0], PIECE)
  assert.ok(parts.length >= 3, parts.join())
  const files = await listed(brandId)
  for (const [at, { firstId }] of files.entries()) assert.ok(at === 0 || firstId === files[at - 1]?.endId)
  await frozen.round()
  assert.deepEqual(await readBoth(brandId), await readRows(brandId))
})

/** Looks, whenever a file is written, whether a transaction of freezing is open. The watch of a `Database` asks its server now and then. */
class Watched extends DuckDbProcess {
  readonly open: boolean[] = []

  override async run(
    statement: Parameters<DuckDbProcess['run']>[0],
    options: Parameters<DuckDbProcess['run']>[1],
  ): ReturnType<DuckDbProcess['run']> {
    if (/^copy/i.test(statement.sql)) {
      const { count } = await database.query(
        `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and (state = 'idle in transaction' or backend_xmin is not null) and backend_type = 'client backend'
           and application_name not like '% look'`,
      )
      this.open.push(count > 0)
    }
    return super.run(statement, options)
  }
}

test('no transaction is open while DuckDB writes the file of a part', async () => {
  const { brandId } = await storeEvents()
  const watched = new Watched(OPTIONS)
  const { deps } = freezeDeps({ ...shortParts, duckdb: watched })
  const part = await freezeRange(deps, await taskOf(brandId))
  assert.equal(part?.events, PIECE)
  assert.deepEqual(watched.open, [false])
  await watched.close()
})

test('a part that fails waits, and the next try goes on behind the parts before', async () => {
  const { brandId } = await storeEvents()
  const { deps } = freezeDeps(shortParts)
  const first = await freezeRange(deps, await taskOf(brandId))
  assert.ok(first !== null && first.rest !== null)
  await noteFailedTry(database, { ...first.rest, now: Date.now() })
  const tasks = await planFreezing(deps)
  assert.ok(!tasks.some(({ range }) => range.brandId === brandId), 'its time has not come')
  const later = freezeDeps({ ...shortParts, laterMs: EVENT_FILE_LIMITS.retryMsMax })
  const task = await taskOf(brandId, later)
  assert.deepEqual(task.range, first.rest.range)
  await freezeRange(later.deps, task)
  const { rows } = await database.query<{ failures: number }>(
    'select failures from event_file_weeks where brand_id = $1',
    [brandId],
  )
  assert.deepEqual(rows, [{ failures: 0 }])
  assert.equal((await listed(brandId)).length, 2)
  assert.equal(
    await freezeRange(deps, { ...task, range: { ...task.range, endId: task.range.firstId + 1n } }),
    null,
  )
})

test('rows of a week are dropped when all of it is frozen', async () => {
  const { brandId } = await storeEvents()
  const { deps } = freezeDeps({ ...shortParts, rowsDays: 0 })
  const drops = async (): Promise<number> =>
    (await planFreezing(deps)).filter((task) => task.drops && task.range.brandId === brandId).length
  let { rest } = (await freezeRange(deps, await taskOf(brandId))) ?? { rest: null }
  assert.equal(await drops(), 0)
  while (rest !== null) rest = (await freezeRange(deps, rest))?.rest ?? null
  assert.equal(await drops(), (await listed(brandId)).length)
})

test('rests are as long for many brands as for one, and shorter only for hundreds of millions of events', async () => {
  const brands = await Promise.all(Array.from({ length: 8 }, storeEvents))
  const ids = new Set(brands.map(({ brandId }) => brandId))
  const { deps } = freezeDeps(shortParts)
  for (const { brandId } of brands) await taskOf(brandId)
  const allowed = async (): Promise<readonly number[]> =>
    (await planFreezing(deps)).filter(({ range }) => ids.has(range.brandId)).map((task) => task.eventMsMax)
  const { eventMsMax, weekShareMax } = EVENT_FILE_LIMITS
  assert.deepEqual(
    await allowed(),
    brands.map(() => eventMsMax),
  )
  await withOwner(url, async (owner) => owner.query(MANY_EVENTS, [OLD_WEEK.table, 1e9]))
  const shorter = (weekShareMax * WEEK_MS) / 1e9
  for (const ms of await allowed()) assert.ok(Math.abs(ms / shorter - 1) < 1e-6, String(ms))
  assert.equal((await allowed()).length, brands.length)
})

/** Tells the planner that a table has so many rows on the pages that it has. */
const MANY_EVENTS = `select pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'relpages',
  (pg_relation_size(to_regclass($1::text)) / current_setting('block_size')::integer)::integer, 'reltuples', $2::real)`

test('a week is frozen at 500 events a second on a slow machine, though events come in all the time', async () => {
  const { brandId } = await storeEvents()
  const world = { now: 0, worked: 0, slept: [] as number[] }
  const time = {
    // Each look at the clock comes so much later than the one before.
    elapsed: () => {
      world.worked += 20
      return (world.now += 20)
    },
    sleep: async (ms: number) => {
      world.slept.push(ms)
      world.now += ms
    },
  }
  const { deps } = freezeDeps({ url, database, frozen, duckdb, time })
  const part = await freezeRange(deps, await taskOf(brandId))
  assert.deepEqual(part, { events: EVENTS, rest: null })
  assert.ok(world.slept.length >= 3 && world.slept.every((ms) => ms > 0), 'each piece is followed by a rest')
  const slept = world.slept.reduce((sum, ms) => sum + ms, 0)
  assert.ok(slept <= EVENTS * EVENT_FILE_LIMITS.eventMsMax + world.worked, `${slept} ms`)
  assert.equal(await isFrozen(brandId), true)
})
