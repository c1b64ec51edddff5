import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { auditAction, listAudit } from '../../src/store/brand/audit.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const ANY = {
  actor: null,
  action: null,
  subjectType: null,
  subjectId: null,
  from: null,
  to: null,
  before: null,
}

test('the line of an action has what was before, what is after, or neither', async () => {
  const { brandId } = await brand()
  const sides: readonly { readonly before?: JsonObject; readonly after?: JsonObject }[] = [
    { before: { a: 'one' } },
    { after: { b: 'two' } },
    { before: { a: 'one' }, after: { b: 'two' } },
    {},
  ]
  for (const [at, side] of sides.entries()) {
    const line = { brandId, action: 'tried', type: 'thing', id: String(at), ...side }
    await database.asSystem(brandId, async (tx) => auditAction(tx, line))
  }
  const asked = { ...ANY, brandId, subjectType: 'thing', limit: 10 }
  const { rows } = await database.asBrand(brandId, async (tx) => listAudit(tx, asked))
  assert.deepEqual(
    rows.toReversed().map(({ subjectId, before, after: now }) => [subjectId, before, now]),
    sides.map(({ before = null, after: now = null }, at) => [String(at), before, now]),
  )
})
