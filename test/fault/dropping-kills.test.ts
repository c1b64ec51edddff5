import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { anyEvents, needing } from '../../src/store/event-needs.ts'
import { freshDatabase } from '../support/database/database.ts'
import { openFrozen, rawEvent } from '../support/events/frozen.ts'
import { atLength } from '../support/length.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
const cold = frozen.openCold()
after(async () => {
  await cold.close()
  await frozen.close()
  await drop()
})

const KILLS = atLength(18)
const BRANDS = 3
const EVENTS = 1_500
const PROGRAM = join(import.meta.dirname, 'freezing-process.ts')

/** Freezes, and drops rows at once. */
function startDropping(): ChildProcess {
  return spawn(process.execPath, [PROGRAM, url, frozen.folder, '0'], { stdio: 'ignore' })
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

type Brand = { readonly brandId: number; readonly stored: readonly string[] }

async function makeBrand(place: number): Promise<Brand> {
  const { brandId } = await brand()
  const events = Array.from({ length: EVENTS }, (_, at) =>
    rawEvent(place * EVENTS + at, { receivedAt: frozen.oldAt, attributes: `{"sku": "A-${at % 4}"}` }),
  )
  return { brandId, stored: (await frozen.store(brandId, events)).map(String) }
}

/** The ids of all events, whether they are rows or in files only, and how many are rows. */
async function found(brandId: number): Promise<readonly string[]> {
  return cold.asEngine(async (tx) => {
    const { rows } = await tx.query<{ id: bigint }>(
      'select id from events where brand_id = $1',
      needing([brandId], anyEvents(brandId)),
    )
    return rows.map(({ id }) => String(id))
  })
}

async function filesAlone(): Promise<number> {
  return (await database.query('select from event_files where is_alone')).count
}

/** The moments of the kills: a file of this kind is new, or the rows of one more range are dropped. */
const MOMENTS: readonly ((names: readonly string[], alone: number) => boolean)[] = [
  (names) => names.some((name) => name.endsWith('.csv.part')),
  (names) => names.some((name) => name.endsWith('.parquet.part')),
  (names) => names.some((name) => name.endsWith('.parquet')),
  (names) => names.some((name) => name.endsWith('.parquet') && name.includes('brand=')),
  (_, alone) => alone > 0,
]

test('kills while rows are dropped, and while files without rows are written again, lose nothing and double nothing', async () => {
  const brands: Brand[] = []
  for (let place = 0; place < BRANDS; place += 1) brands.push(await makeBrand(place))
  for (let round = 0; round < KILLS; round += 1) {
    const before = new Set(await frozen.names())
    const aloneBefore = await filesAlone()
    const child = startDropping()
    const isTime = MOMENTS[round % MOMENTS.length] ?? (() => true)
    await until(
      async () => {
        const names = (await frozen.names()).filter((name) => !before.has(name))
        return isTime(names, (await filesAlone()) - aloneBefore)
      },
      { what: `the moment of kill ${round}` },
    )
    await kill(child)
    for (const { brandId, stored } of brands)
      assert.deepEqual((await found(brandId)).toSorted(), stored.toSorted(), `after kill ${round}`)
    // Each round has something to do: a brand whose rows are to be dropped, and changes of events without rows.
    brands.push(await makeBrand(BRANDS + round))
    for (const { brandId } of brands.slice(0, BRANDS)) {
      await cold.asEngine(async (tx) =>
        tx.query(
          'update events set profile_id = $2 where brand_id = $1 and profile_id = $3',
          needing([brandId, 100 + round, (round % 7) + 1], {
            ...anyEvents(brandId),
            people: [BigInt((round % 7) + 1)],
            use: 'write',
          }),
        ),
      )
    }
  }
  await until(areOthersGone, { what: 'the end of the sessions of killed processes' })
  await frozen.round()
  await frozen.drop()
  for (const { brandId, stored } of brands)
    assert.deepEqual((await found(brandId)).toSorted(), stored.toSorted())
  const { count } = await database.query('select from events')
  assert.ok(count < brands.length * EVENTS * 0.2, `${count} rows are left`)
})

/** The server ends the sessions of killed processes a moment later, and with them their locks. */
async function areOthersGone(): Promise<boolean> {
  const { count } = await database.query(`select from pg_locks where locktype = 'advisory' and database = (
    select oid from pg_database where datname = current_database())`)
  return count === 0
}
