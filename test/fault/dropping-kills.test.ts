import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { atLength } from '../support/length.ts'
import { until } from '../support/until.ts'
import {
  areOthersGone,
  type Brand,
  EVENTS,
  filesAlone,
  found,
  makeBrand,
  moveSome,
  type Opened,
  openDropping,
} from './dropping-place.ts'

const BRANDS = 3

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** The moments of the kills: a file of this kind is new, or the rows of one more range are dropped. */
const MOMENTS: readonly ((names: readonly string[], alone: number) => boolean)[] = [
  (names) => names.some((name) => name.endsWith('.csv.part')),
  (names) => names.some((name) => name.endsWith('.parquet.part')),
  (names) => names.some((name) => name.endsWith('.parquet')),
  (names) => names.some((name) => name.endsWith('.parquet') && name.includes('brand=')),
  (_, alone) => alone > 0,
]

for (const [kept, kills] of [
  ['folder', atLength(30)],
  ['object store', atLength(30)],
] as const) {
  test(`kills while rows are dropped, and while files without rows are written again, lose and double nothing: ${kept}`, async () => {
    const opened = await openDropping(kept)
    try {
      await killAndCompare(opened, kills)
    } finally {
      await opened.close()
    }
  })
}

async function killAndCompare(opened: Opened, kills: number): Promise<void> {
  const { database, frozen } = opened
  const brands: Brand[] = []
  for (let place = 0; place < BRANDS; place += 1) brands.push(await makeBrand(opened, place))
  for (let round = 0; round < kills; round += 1) {
    const before = new Set(await opened.names())
    const aloneBefore = await filesAlone(opened)
    const child = opened.startDropping()
    const isTime = MOMENTS[round % MOMENTS.length] ?? (() => true)
    await until(
      async () => {
        const names = (await opened.names()).filter((name) => !before.has(name))
        return isTime(names, (await filesAlone(opened)) - aloneBefore)
      },
      { what: `the moment of kill ${round}` },
    )
    await kill(child)
    for (const { brandId, stored } of brands)
      assert.deepEqual((await found(opened, brandId)).toSorted(), stored.toSorted(), `after kill ${round}`)
    // Each round has something to do: a brand whose rows are to be dropped, and changes of events without rows.
    brands.push(await makeBrand(opened, BRANDS + round))
    for (const { brandId } of brands.slice(0, BRANDS)) await moveSome(opened, { brandId, round })
  }
  await until(async () => areOthersGone(opened), { what: 'the end of the sessions of killed processes' })
  await frozen.round()
  await frozen.drop()
  for (const { brandId, stored } of brands)
    assert.deepEqual((await found(opened, brandId)).toSorted(), stored.toSorted())
  const { count } = await database.query('select from events')
  assert.ok(count < brands.length * EVENTS * 0.2, `${count} rows are left`)
}
