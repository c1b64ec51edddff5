import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thawSql } from '../../src/store/event-files/thaw-sql.ts'
import type { EventPick } from '../../src/store/event-needs.ts'

const AT = Date.UTC(2026, 10, 15, 12)
const NOON = `timestamp '2026-11-15 12:00:00.000'`
const NEXT = `timestamp '2026-11-15 12:00:00.001'`

/** The bounds of the parts that a pick takes events from, in their order. */
function boundsOf(pick: EventPick): readonly string[] {
  const need = { brandId: 1, names: null, where: [], pick, isBare: false }
  const bounds = { people: null, since: null, until: null }
  const sql = thawSql({ folder: '/files', files: [], need, bounds, people: null, afterId: 0n, limit: 9 })
  return [...sql.matchAll(/event_at ([<>]=? timestamp '[^']+')/g)].map(([, bound = '']) => bound)
}

test('the events of the millisecond of a place come whole, and each other one on its side of it once', () => {
  const place = { at: AT, id: 7n }
  assert.deepEqual(boundsOf({ kind: 'newest', limit: 5, before: place }), [
    `< ${NOON}`,
    `>= ${NOON}`,
    `< ${NEXT}`,
  ])
  assert.deepEqual(boundsOf({ kind: 'following', limit: 5, after: place }), [
    `>= ${NEXT}`,
    `>= ${NOON}`,
    `< ${NEXT}`,
  ])
})
