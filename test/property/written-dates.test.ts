import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { instantIn } from '../../src/domain/segments/comparison.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DATE_FORMS, WRITTEN_DATE } from '../support/events/written-dates.ts'

const { database, drop } = await freshDatabase()
after(drop)

async function readInDatabase(texts: readonly string[]): Promise<readonly (number | null)[]> {
  const { rows } = await database.query<{ at: number | null }>(
    `select (extract(epoch from instant_in(text)) * 1000)::double precision as at
     from unnest($1::text[]) with ordinality as given (text, place) order by place`,
    [texts],
  )
  return rows.map(({ at }) => at)
}

test('the database reads a date as memory does, or as none where memory finds none', async () => {
  const texts = fc.array(fc.oneof(WRITTEN_DATE, fc.string({ unit: 'binary' }).filter(isStorable)), {
    minLength: 100,
    maxLength: 200,
  })
  await fc.assert(
    fc.asyncProperty(texts, async (given) => {
      assert.deepEqual(await readInDatabase(given), given.map(instantIn))
    }),
  )
})

test('every form of a date is one, in memory and in the database', async () => {
  const instants = DATE_FORMS.map(instantIn)
  assert.ok(instants.every((at) => at !== null))
  assert.deepEqual(await readInDatabase(DATE_FORMS), instants)
})

test('digits of other scripts make no date', async () => {
  assert.deepEqual(await readInDatabase(['२०२६-०१-०१', '٢٠٢٦-٠١-٠١', '２０２６-０１-０１']), [
    null,
    null,
    null,
  ])
})

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}
