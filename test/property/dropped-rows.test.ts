import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { listEvents } from '../../src/store/events/list.ts'
import { openColdDatabase } from '../support/events/cold-database.ts'
import { ASKED, answers, filterOf } from '../support/events/event-answers.ts'
import { DAY_MS } from '../support/events/frozen.ts'
import { CHANGE, change, DRAWN, freezeAndDrop, type Side, twoBrands } from '../support/events/two-brands.ts'
import { atLength } from '../support/length.ts'

const { database, brand, frozen, cold } = await openColdDatabase()
const store = { database, brand, frozen, cold }

/** Every event of the brand, to the last character but its brand. */
async function everyEvent({ db, brandId }: Side): Promise<readonly string[]> {
  return db.asEngine(async (tx) => {
    await listEvents(tx, filterOf(brandId, {}), { before: null, limit: 10_000 })
    const { rows } = await tx.query<{ text: string }>(
      `select (to_jsonb(e) - 'brand_id')::text as text from events as e where brand_id = $1 order by id`,
      [brandId],
    )
    return rows.map(({ text }) => text)
  })
}

async function rowsLeft(brandId: number): Promise<number> {
  return (await database.query('select from events where brand_id = $1', [brandId])).count
}

test('whatever reads events has the same answer when their rows are dropped', async () => {
  let [stored, left] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(DRAWN, { minLength: 20, maxLength: 60 }),
      fc.array(CHANGE, { minLength: 3, maxLength: 6 }),
      fc.array(ASKED, { minLength: 2, maxLength: 2 }),
      async (drawn, changes, wanted) => {
        const sides = await twoBrands(store, drawn)
        const [kept, dropped] = sides
        await freezeAndDrop(store, sides)
        stored += drawn.length
        left += await rowsLeft(dropped.brandId)
        const compare = async (what: string): Promise<void> => {
          assert.deepEqual(await everyEvent(dropped), await everyEvent(kept), what)
          for (const asked of wanted) {
            const [found, rows] = [await answers(dropped, asked, frozen), await answers(kept, asked, frozen)]
            for (const name of Object.keys(rows))
              assert.deepEqual(found[name], rows[name], `${what}: ${name}`)
          }
        }
        await compare('at first')
        for (const made of changes) {
          for (const side of sides) await change(side, made)
          if (made.kind === 'freeze') await freezeAndDrop(store, sides, 8 * DAY_MS)
          else assert.deepEqual(await everyEvent(dropped), await everyEvent(kept), made.kind)
        }
        await compare('after changes')
        await freezeAndDrop(store, sides, 8 * DAY_MS)
        await compare('after rewriting')
        for (const side of sides) await change(side, { kind: 'begin erasure', person: 6 })
        await compare('while somebody is being erased')
      },
    ),
    { numRuns: atLength(18, { short: 2 }), endOnFailure: true },
  )
  assert.ok(left < stored * 0.75, `${left} rows of ${stored} are left`)
})
