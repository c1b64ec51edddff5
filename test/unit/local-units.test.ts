import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localUnitsSql } from '../../src/store/event-files/local-units.ts'

const HOUR_MS = 3_600_000
const YEAR = { fromAt: Date.UTC(2026, 0, 1), endAt: Date.UTC(2027, 0, 1), unitMs: HOUR_MS }

function changesIn(zone: string, span = YEAR): readonly string[] | null {
  const sql = localUnitsSql({ zone, ...span })
  return sql === null ? null : (sql.match(/when event_at < \S+ '[^']+'/g) ?? [])
}

test('a zone has a case for each change of its clock in the time, and none for others', () => {
  assert.deepEqual(changesIn('UTC'), [])
  assert.deepEqual(changesIn('Asia/Tokyo'), [])
  assert.equal(changesIn('Europe/Berlin')?.length, 2)
  const summer = { ...YEAR, fromAt: Date.UTC(2026, 3, 1), endAt: Date.UTC(2026, 8, 1) }
  assert.deepEqual(changesIn('Europe/Berlin', summer), [])
})

test('a time with too many changes has no statement', () => {
  assert.equal(changesIn('Europe/Berlin', { ...YEAR, endAt: Date.UTC(2400, 0, 1) }), null)
})
